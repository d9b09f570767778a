import type { Db, Tx } from '../../database/database.ts';
import { isInRealm } from '../../identity/accounts/user.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { OAuthError } from '../../platform/errors.ts';
import type { StoredClient } from './client-store.ts';

/** Whether this user may sign in through the client. Most clients have no realm and cost no query. */
export async function isForUser(db: Db | Tx, { realm }: Pick<StoredClient, 'realm'>, userId: string | null) {
  if (realm === null || userId === null) return true;
  const user = await findUser(db, userId);
  return user !== undefined && isInRealm(user, realm);
}

/** Throws unless this user may sign in through the client. */
export async function requireRealm(
  db: Db | Tx,
  client: Pick<StoredClient, 'realm'>,
  userId: string | null,
  error: 'invalid_grant' | 'access_denied' = 'invalid_grant',
): Promise<void> {
  if (await isForUser(db, client, userId)) return;
  throw new OAuthError(error, 'This client is for other users.', { reason: 'user of another realm' });
}
