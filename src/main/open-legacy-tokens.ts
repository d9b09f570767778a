import type { Context } from '../database/context.ts';
import type { LegacyTokens } from '../oauth/sessions/tokens/access-token.ts';
import { lazy } from '../platform/lazy.ts';

/** Tokens of an imported service, and the job that deletes expired ones. */
export interface OpenLegacyTokens extends LegacyTokens {
  prune(): Promise<void>;
  close(): Promise<void>;
}

/** Loads the Passport extension at the first token that this service did not issue, or when `prune` first runs. */
export function openLegacyTokens(context: Context): OpenLegacyTokens {
  let opened: OpenLegacyTokens | undefined;
  const open = lazy(async () => {
    const { PassportTokens } = await import('../../extensions/passport/legacy-tokens/passport-tokens.ts');
    opened = new PassportTokens(context);
    return opened;
  });
  return {
    readAccess: async (token) => (await open()).readAccess(token),
    readRefresh: async (token, address) => (await open()).readRefresh(token, address),
    readScopes: async () => (await open()).readScopes(),
    prune: async () => (await open()).prune(),
    close: async () => opened?.close(),
  };
}
