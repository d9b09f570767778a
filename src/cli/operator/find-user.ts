import { loginAttributes } from '../../config/config.ts';
import type { Context } from '../../database/context.ts';
import { isUuid } from '../../database/uuid.ts';
import { readLogin } from '../../identity/accounts/identifiers.ts';
import { findUser, findUserByLogin, type UserRow } from '../../identity/accounts/user-store.ts';
import { OperatorError } from '../../platform/errors.ts';

/** Finds a user by id, email, username or phone number. */
export async function findUserByText({ database: { db } }: Context, text: string): Promise<UserRow> {
  if (isUuid(text)) {
    const byId = await findUser(db, text);
    if (byId) return byId;
  }
  const identifier = readLogin(text, loginAttributes);
  const user = identifier && (await findUserByLogin(db, identifier));
  if (user) return user;
  throw new OperatorError(`There is no user "${text}". List them with: npx gatehouse-server user list`);
}
