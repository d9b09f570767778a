import { loginAttributes } from '../../config.ts';
import type { Context } from '../../context.ts';
import { isUuid } from '../../database/uuid.ts';
import { OperatorError } from '../../errors.ts';
import { readLogin } from '../../users/accounts/identifiers.ts';
import { findUser, findUserByLogin, type UserRow } from '../../users/accounts/user-store.ts';

/** The user whom an operator means by an id, an email, a username or a phone number. */
export async function findUserByText({ database: { db } }: Context, text: string): Promise<UserRow> {
  if (isUuid(text)) {
    const byId = await findUser(db, text);
    if (byId) return byId;
  }
  const identifier = readLogin(text, loginAttributes);
  const user = identifier && (await findUserByLogin(db, identifier));
  if (user) return user;
  throw new OperatorError(`There is no user "${text}". List them with: gatehouse user list`);
}
