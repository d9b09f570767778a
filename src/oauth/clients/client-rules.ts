import type { Config } from '../../config/config.ts';
import type { Db, Tx } from '../../database/database.ts';
import { isInRealm } from '../../identity/accounts/user.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { scopesOfRole } from '../../identity/roles/roles-resource.ts';
import { OAuthError } from '../../platform/errors.ts';
import type { StoredClient } from './client-store.ts';
import { explicitScopes, narrowScopes, offlineAccessScope } from './scopes/scopes.ts';

const challenge = { 'WWW-Authenticate': 'Basic realm="gatehouse", charset="UTF-8"' };

/** An unknown client and a wrong secret get the same error. The challenge names Basic, which every client supports. */
export const invalidClient = (reason: string, headers: Record<string, string> = challenge) =>
  new OAuthError('invalid_client', 'The client is unknown, or its credentials are missing or wrong.', {
    reason,
    headers,
  });

/** RFC 6749 5.2: the client is known, but clients of its type may not use the grant. */
export const unauthorizedClient = (client: StoredClient): OAuthError => {
  if (client.grant_types.length > 0) {
    const description = `This client was registered for the grants ${client.grant_types.join(', ')}.`;
    return new OAuthError('unauthorized_client', description);
  }
  const clientDescription = client.public ? 'A public client' : `A client of the type ${client.type}`;
  return new OAuthError('unauthorized_client', `${clientDescription} may not use this grant.`);
};

type Client = Pick<StoredClient, 'type' | 'grant_types' | 'public'>;

/** RFC 7591 2: an application uses only the grants that it names. First-party clients also use the grants of their type. */
export const mayUseGrant = ({ type, grant_types }: Pick<Client, 'type' | 'grant_types'>, grant: string): boolean =>
  type === 'password' || grant_types.length === 0 || grant_types.includes(grant);

/** Whether clients of this type can use the grant. */
export const isGrantForClient = (
  client: Client,
  grant: { readonly type: string; readonly clientTypes: readonly Client['type'][]; readonly confidential?: boolean },
): boolean =>
  (grant.clientTypes.includes(client.type) ||
    (client.type === 'password' && client.grant_types.includes(grant.type))) &&
  !(grant.confidential && client.public);

/** Whether tokens with these scopes come with a refresh token. Applications need the scope `offline_access`. */
export const isRefreshable = (client: Pick<StoredClient, 'type' | 'grant_types'>, scopes: readonly string[]): boolean =>
  client.type !== 'application' || (scopes.includes(offlineAccessScope) && mayUseGrant(client, 'refresh_token'));

/** Whether this user may sign in through the client. Most clients have no realm and cost no query. */
export async function isInRealmOfClient(db: Db | Tx, { realm }: Pick<StoredClient, 'realm'>, userId: string | null) {
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
  if (await isInRealmOfClient(db, client, userId)) return;
  throw new OAuthError(error, 'This client is for other users.', { reason: 'user of another realm' });
}

/** The name in ROLE_SCOPES that stands for every user. */
const everybody = '*';

/** Limits `scopes` by the roles in ROLE_SCOPES. Administrators are not limited. Roles that the setting does not name are not limited. */
export function limitByRoles(config: Pick<Config, 'roleScopes'>, roles: readonly string[], scopes: readonly string[]) {
  if (roles.includes('admin')) return scopes;
  const limits = [everybody, ...roles].map((role) => scopesOfRole(config, role)).filter((limit) => limit !== undefined);
  return limits.length === 0 ? scopes : narrowScopes(scopes, [...new Set([...limits.flat(), ...explicitScopes])]);
}
