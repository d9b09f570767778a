import { Type } from 'typebox';
import type { Config } from '../../../src/config/config.ts';
import type { App } from '../../../src/http/app.ts';
import { setNoStore } from '../../../src/oauth/oauth-routes.ts';
import { invalidRequest } from '../../../src/oauth/parameters.ts';
import { oauthErrorSchema } from '../../../src/oauth/schemas.ts';
import { type PageKit, PageRequest } from '../../../src/pages/kit/page-request.ts';
import { localPath } from '../../../src/pages/session/local-path.ts';
import { notFound, OAuthError } from '../../../src/platform/errors.ts';
import { type ProviderServices, readForwardedParameters } from './provider-services.ts';
import { beginAtProvider } from './send-to-provider.ts';

const text = Type.Optional(Type.String());

/** The browser of a first-party application starts a sign-in with a provider here. */
export function serveFirstPartyProviders(app: App, kit: PageKit, services: ProviderServices): void {
  const { providers, proxiedClients } = services;
  for (const { path } of proxiedClients) {
    app.get(
      `/v1/clients/${path}/with/:provider`,
      {
        config: { auth: 'public', errors: 'oauth' },
        onRequest: setNoStore,
        schema: {
          tags: ['First-party clients'],
          summary: `Sign in with a provider (${path.replace('/', ' ')})`,
          description:
            'Send the browser here. After the sign-in, the response sets the cookie of the login and redirects to `next` (a local path, or an address of an origin in CORS_ORIGINS). Without `next`, it returns the tokens as JSON.',
          params: Type.Object({ provider: Type.String() }),
          querystring: Type.Object({ next: text, prompt: text, max_age: text, acr_values: text, login_hint: text }),
          response: { 302: Type.Null(), 400: oauthErrorSchema, 404: oauthErrorSchema, 503: oauthErrorSchema },
          'x-client': "gatehouse.login.with('google');",
        },
      },
      async (request, reply) => {
        const pageRequest = new PageRequest(kit, request, reply);
        const provider = await providers.find(request.params.provider);
        if (!provider) throw notFound('There is no such provider.');
        const { query } = pageRequest;
        const next = returnAddress(kit.config, query.next);
        const beginning = {
          purpose: 'sign-in',
          client: path,
          next,
          forwarded: readForwardedParameters(query),
        } as const;
        const url = await beginAtProvider(pageRequest, services, provider, beginning);
        if (url) return reply.redirect(url.href, 302);
        throw new OAuthError('temporarily_unavailable', 'The provider cannot be reached.', { status: 503 });
      },
    );
  }
}

/** Only pages of this service, and of origins that may read API responses anyway. */
function returnAddress({ baseUrl, corsOrigins }: Config, next: string | undefined): string | undefined {
  if (next === undefined || next === '') return undefined;
  const path = localPath(next);
  if (path !== undefined) return new URL(baseUrl).pathname.replace(/\/$/, '') + path;
  const url = URL.parse(next);
  if (url && [new URL(baseUrl).origin, ...corsOrigins].includes(url.origin)) return url.href;
  throw invalidRequest("The parameter 'next' takes a local path, or an address of an origin in CORS_ORIGINS.");
}
