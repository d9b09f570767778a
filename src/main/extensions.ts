import type { Config } from '../config/config.ts';
import type { Context } from '../database/context.ts';
import type { Extension, LegacyTokensExtension } from './extension.ts';

const loadPassport = () => import('../../extensions/passport/extension.ts');

export async function loadExtensions(config: Config): Promise<Extension[]> {
  const { mcp } = await import('../../extensions/mcp/extension.ts');
  return config.compat === 'off' ? [mcp] : [mcp, (await loadPassport()).passport];
}

/** Loads the Passport extension at the first token that this service did not issue. */
export function openLegacyTokens(context: Context): LegacyTokensExtension {
  let opened: Promise<LegacyTokensExtension> | undefined;
  const open = () => {
    opened ??= loadPassport().then((extension) => extension.openPassportTokens(context));
    return opened;
  };
  return {
    readAccess: async (token) => (await open()).readAccess(token),
    readRefresh: async (token, address) => (await open()).readRefresh(token, address),
    readScopes: async () => (await open()).readScopes(),
    prune: async () => (await open()).prune(),
    close: async () => (await opened)?.close(),
  };
}
