import type { Context } from '../../../src/database/context.ts';
import type { Db, Tx } from '../../../src/database/database.ts';
import { findUser, rolesOf } from '../../../src/identity/accounts/user-store.ts';
import { limitByRoles } from '../../../src/oauth/clients/client-rules.ts';
import type { Caller } from '../../../src/platform/caller.ts';
import { noProof } from '../../../src/platform/proof.ts';

/** A user as a caller with the user's current rights, for events that the user did not request. Undefined if deleted or disabled. */
export async function userAsCaller(
  { config }: Pick<Context, 'config'>,
  db: Db | Tx,
  userId: string,
): Promise<Caller | undefined> {
  const user = await findUser(db, userId);
  if (!user || user.disabled === 1) return undefined;
  const roles = rolesOf(user);
  return {
    kind: 'user',
    application: false,
    userId,
    clientId: null,
    sessionId: null,
    roles,
    scopes: limitByRoles(config, roles, ['*']),
    proof: noProof,
  };
}
