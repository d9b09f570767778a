import type { StoredClient } from './client-store.ts';
import { mayUseGrant } from './may-use-grant.ts';
import { offlineAccessScope } from './scopes/scopes.ts';

/** Whether tokens with these scopes come with a refresh token. Applications must have been given `offline_access`. */
export const isRefreshable = (client: Pick<StoredClient, 'type' | 'grantTypes'>, scopes: readonly string[]): boolean =>
  client.type !== 'application' || (scopes.includes(offlineAccessScope) && mayUseGrant(client, 'refresh_token'));
