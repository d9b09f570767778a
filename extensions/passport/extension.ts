import type { CreateExtension } from '../../src/main/extension.ts';
import { serveApiatoApi } from './compat/apiato-routes.ts';
import { serveCompatibly } from './compat/compat-routes.ts';
import { LegacyIds } from './compat/legacy-ids.ts';
import { servePassportApi } from './compat/passport-routes.ts';
import { LegacyKeys } from './legacy-tokens/legacy-keys.ts';

/** Responds as Passport or Apiato did (COMPAT). */
export const createExtension: CreateExtension = (context, { oauth }) => ({
  beforeRoutes: (app, resources) =>
    serveCompatibly(app, context, { ids: new LegacyIds(context, new LegacyKeys(context)), resources }),
  serve(app, resources) {
    servePassportApi(app, oauth);
    if (context.config.compat !== 'passport') serveApiatoApi(app, oauth, resources);
  },
});
