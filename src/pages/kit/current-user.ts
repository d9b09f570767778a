import { toUserView, type UserView } from '../../identity/accounts/user.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { notFound } from '../../platform/errors.ts';
import type { PageRequest } from './page-request.ts';

/** The signed-in user of a page. */
export async function currentUser({ kit, caller }: PageRequest): Promise<UserView> {
  const user = caller.userId === null ? undefined : await findUser(kit.database.db, caller.userId);
  if (!user) throw notFound('This account no longer exists.');
  return toUserView(user);
}
