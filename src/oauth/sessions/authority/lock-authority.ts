import type { Config } from '../../../config/config.ts';
import type { LockAuthority, WriteAuthority } from '../../../database/change-as.ts';
import type { Context } from '../../../database/context.ts';
import { lockForRevocation } from '../../../database/locks/revocation-locks.ts';
import { requireScope, unauthorized } from '../../../http/gate/unauthorized.ts';
import type { Caller } from '../../../platform/caller.ts';
import { parseJson } from '../../../platform/json-text.ts';
import { limitByRoles } from '../../clients/client-rules.ts';
import { effectiveRoles, narrowScopes } from '../../clients/scopes/scopes.ts';
import { type AuthorityRows, lockAuthorityRows, lockUsers } from './authority-store.ts';

/** Checks the caller's authority inside the transaction of a write, on locked rows. A revocation applies from its commit. */
export const createLockAuthority =
  ({ config, database, now }: Context): LockAuthority =>
  async (tx, authority) => {
    const { caller } = authority;
    const { kind } = caller;
    // Anonymous callers and the service itself have no rows.
    if (kind === 'anonymous' || kind === 'system') return caller;
    if (caller.sessionId === null) throw new Error('the caller has a token but no session');
    const ids = { kind, userId: caller.userId ?? '', clientId: caller.clientId ?? '', sessionId: caller.sessionId };
    const otherUserId = authority.userId === caller.userId ? undefined : authority.userId;
    if (otherUserId !== undefined && database.engine === 'postgres') await lockUsers(tx, [ids.userId, otherUserId]);
    const strength = authority.changesAccounts ? 'change' : 'share';
    const rows = await lockAuthorityRows(tx, database.engine, ids, strength, authority.recorded);
    rejectEnded(caller, rows, now());
    if (authority.accountId !== undefined) await lockForRevocation(tx, [authority.accountId]);
    return currentCaller(config, authority, rows);
  };

function rejectEnded({ kind, clientId }: Caller, { user, client, session }: AuthorityRows, now: number): void {
  if (kind === 'user' && !user) throw unauthorized('user_gone');
  if (user?.disabled) throw unauthorized('user_gone', 'disabled user');
  if (clientId !== null && !client) throw unauthorized('client_revoked');
  if (!session || session.revoked_at !== null) throw unauthorized('token_revoked');
  if (session.expires_at <= now) throw unauthorized('token_expired');
}

function currentCaller(config: Config, { caller, scope }: WriteAuthority, { user, client }: AuthorityRows): Caller {
  const clientScopes = client ? narrowScopes(caller.scopes, parseJson(client.scopes)) : caller.scopes;
  const roles = user ? parseJson(user.roles) : [];
  const { application, setUpOnly } = caller;
  const scopes = user && !setUpOnly ? limitByRoles(config, roles, clientScopes) : clientScopes;
  const current: Caller = Object.freeze({
    ...caller,
    // A client acts for its owner, but never with the owner's roles.
    roles: caller.kind === 'user' ? effectiveRoles({ application, scopes, setUpOnly }, roles) : [],
    scopes,
  });
  requireScope(current, scope);
  return current;
}
