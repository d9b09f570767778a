import { fallbackLanguage, getLanguages } from '../../../src/config/languages/languages.ts';
import type { App } from '../../../src/http/app.ts';
import type { OAuth } from '../../../src/oauth/oauth.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import { callApi, forwardResponse } from './call-api-routes.ts';

const open = { config: { auth: 'public', limited: false, query: 'own' }, schema: { hide: true } } as const;
const signedIn = { config: { auth: 'auth:api', query: 'own' }, schema: { hide: true } } as const;

/** Routes of Apiato that have another name here. */
export function serveApiatoApi(app: App, { context, scopes }: Pick<OAuth, 'context' | 'scopes'>, resources: Resources) {
  const languages = getLanguages(context.config);
  for (const path of ['/v1/user/profile', '/v1/profile']) {
    if (resources.has(path.split('/')[2] ?? '')) continue;
    app.get(path, open, async (request, reply) => {
      const [, query = ''] = request.url.split('?', 2);
      const url = `/v1/users/me${query === '' ? '' : `?${query}`}`;
      return forwardResponse(reply, await callApi(app, request, { method: 'GET', url }));
    });
  }
  if (resources.has('permissions')) return;
  // In this service, scopes define the rights.
  app.get('/v1/permissions', signedIn, async () => {
    const data = scopes
      .list()
      .map((name) => asPermission(name, languages.text(fallbackLanguage, scopes.describe(name))));
    const { length } = data;
    const pagination = { total: length, count: length, per_page: length, current_page: 1, total_pages: 1, links: {} };
    return { data, meta: { include: [], custom: [], pagination } };
  });
}

/** A scope in the form of an Apiato permission. */
export const asPermission = (name: string, description: string | null = null) => ({
  object: 'Permission',
  id: name,
  name,
  display_name: null,
  description,
});
