import type { Db } from '../../database/database.ts';
import type { Caller } from '../../platform/caller.ts';
import { noProof } from '../../platform/proof.ts';
import { findUser, rolesOf } from './user-store.ts';

/** A user who is told of something while not asking: with all that the user may do now. Undefined for one that is gone or disabled. */
export async function userAsCaller(db: Db, userId: string): Promise<Caller | undefined> {
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
