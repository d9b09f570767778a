import type { Context } from '../../src/database/context.ts';
import type { Extension, LegacyTokensExtension } from '../../src/main/extension.ts';
import { serveApiatoApi } from './compat/apiato-routes.ts';
import { serveCompatibly } from './compat/compat-routes.ts';
import { LegacyIds } from './compat/legacy-ids.ts';
import { servePassportApi } from './compat/passport-routes.ts';
import { LegacyKeys } from './legacy-tokens/legacy-keys.ts';
import { forgetLegacyTokens, PassportTokens } from './legacy-tokens/passport-tokens.ts';

/** Responds as Passport or Apiato did (COMPAT). */
export const passport: Extension = {
  beforeRoutes: (app, context, resources) =>
    serveCompatibly(app, context, { ids: new LegacyIds(context, new LegacyKeys(context)), resources }),
  serve(app, oauth, resources) {
    servePassportApi(app, oauth);
    if (oauth.context.config.compat !== 'passport') serveApiatoApi(app, oauth, resources);
  },
};

/** The tokens that an imported Passport service issued. */
export function openPassportTokens(context: Context): LegacyTokensExtension {
  const tokens = new PassportTokens(context, new LegacyKeys(context));
  return {
    readAccess: (token) => tokens.readAccess(token),
    readRefresh: (token, address) => tokens.readRefresh(token, address),
    readScopes: () => tokens.readScopes(),
    prune: () => forgetLegacyTokens(context),
    close: () => tokens.close(),
  };
}
