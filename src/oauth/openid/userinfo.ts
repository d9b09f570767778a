import { insufficientScope, requireScope, unauthorized } from '../../http/gate/unauthorized.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import type { Caller } from '../../platform/caller.ts';
import { openidScope } from '../clients/scopes/scopes.ts';
import type { OAuth } from '../oauth.ts';
import { readDetails } from '../sessions/store/grant-details.ts';
import { findSession } from '../sessions/store/session-store.ts';
import { claimsOf, type UserInfo } from './claims.ts';

/** OpenID Connect Core 5.3: the claims of the token's scopes, and those that were requested by name. */
export async function userInfo({ context }: OAuth, caller: Caller): Promise<UserInfo> {
  requireScope(caller, openidScope);
  // A client that acts for itself has signed nobody in.
  if (caller.kind !== 'user' || caller.userId === null) throw insufficientScope(openidScope);
  const user = await findUser(context.database.db, caller.userId);
  if (!user) throw unauthorized('user_gone');
  const session = caller.sessionId === null ? undefined : await findSession(context.database, caller.sessionId);
  return claimsOf(user, caller.scopes, readDetails(session?.details ?? null).claims?.userinfo);
}
