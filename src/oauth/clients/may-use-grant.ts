import type { StoredClient } from './client-store.ts';
import { offlineAccessScope } from './scopes/scopes.ts';

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
