import type { StoredClient } from './client-store.ts';
import { offlineAccessScope } from './scopes.ts';

/** Whether tokens with these scopes come with a refresh token. Applications must have been given `offline_access`. */
export const isRefreshable = ({ type }: Pick<StoredClient, 'type'>, scopes: readonly string[]): boolean =>
  type !== 'application' || scopes.includes(offlineAccessScope);
