import type { Db, Tx } from '../../../src/database/database.ts';
import { findUser, rolesOf } from '../../../src/identity/accounts/user-store.ts';
import type { Caller } from '../../../src/platform/caller.ts';
import { noProof } from '../../../src/platform/proof.ts';

/** A user as a caller with the user's current rights, for events that the user did not request. Undefined if deleted or disabled. */
export async function userAsCaller(db: Db | Tx, userId: string): Promise<Caller | undefined> {
  const user = await findUser(db, userId);
  if (!user || user.disabled === 1) return undefined;
  return {
    kind: 'user',
    application: false,
    userId,
    clientId: null,
    sessionId: null,
    roles: rolesOf(user),
    scopes: ['*'],
    proof: noProof,
  };
}
