import type { FastifyReply, FastifyRequest } from 'fastify';
import { fallbackLanguage, getLanguages } from '../../../src/config/languages/languages.ts';
import type { App } from '../../../src/http/app.ts';
import type { OAuth } from '../../../src/oauth/oauth.ts';
import { asObject, isObject } from '../../../src/platform/is-object.ts';
import { isOneOf } from '../../../src/platform/is-one-of.ts';
import { parseJson } from '../../../src/platform/json-text.ts';
import { findLegacyIds, personalAccessSource } from '../legacy-tokens/legacy-id-store.ts';
import { callApi, forwardResponse } from './call-api-routes.ts';

type Row = Record<string, unknown>;
type Named = FastifyRequest<{ Params: { id: string } }>;

/** The inner API call authorizes, and counts against RATE_LIMIT. */
const open = { config: { auth: 'public', limited: false, cors: 'listed' }, schema: { hide: true } } as const;
const signedIn = { config: { auth: 'auth:api', cors: 'listed' }, schema: { hide: true } } as const;

/** The JSON API of Passport. Front ends use it to show users their tokens and clients. */
export function servePassportApi(app: App, { context, scopes }: Pick<OAuth, 'context' | 'scopes'>): void {
  const languages = getLanguages(context.config);
  const issuersAmong = async (rows: readonly Row[]): Promise<Issuers> => {
    const ids = rows.map(({ id, client }) => String(asObject(asObject(client).data).id ?? id));
    const known = await findLegacyIds(context.database.db, personalAccessSource, ids);
    return new Set([...known.values()].filter(({ new_id }) => new_id === 'true').map(({ old_id }) => old_id));
  };
  const list = async (request: FastifyRequest, reply: FastifyReply, url: string, show: typeof asClient) => {
    const me = await callApi(app, request, { plainIds: true, method: 'GET', url: '/v1/users/me?filter=id' });
    if (me.status !== 200) return forwardResponse(reply, me);
    const { id } = parseJson<{ data: { id: string } }>(me.text).data;
    const response = await callApi(app, request, { plainIds: true, method: 'GET', url: url.replace('{me}', id) });
    if (response.status !== 200) return forwardResponse(reply, response);
    const rows = parseJson<{ data: Row[] }>(response.text).data;
    const issuers = await issuersAmong(rows);
    return rows.map((row) => show(row, issuers));
  };
  const remove = (resource: string) => async (request: Named, reply: FastifyReply) => {
    const url = `/v1/${resource}/${encodeURIComponent(request.params.id)}`;
    const response = await callApi(app, request, { plainIds: true, method: 'DELETE', url });
    return response.status < 300 ? reply.code(204).send() : forwardResponse(reply, response);
  };
  // Apiato joins the pairs of a search with `or`. Here both must match.
  const tokensOf = (type: string) =>
    `/v1/tokens?search=type:${type};user_id:{me}&searchJoin=and&include=client&limit=100`;

  app.get('/oauth/scopes', signedIn, async () =>
    scopes.list().map((id) => ({ id, description: languages.text(fallbackLanguage, scopes.describe(id)) })),
  );
  app.get('/oauth/tokens', open, (request, reply) => list(request, reply, tokensOf('session'), asToken));
  app.delete('/oauth/tokens/:id', open, remove('tokens'));
  app.get('/oauth/personal-access-tokens', open, (request, reply) =>
    list(request, reply, tokensOf('personal'), asToken),
  );
  app.delete('/oauth/personal-access-tokens/:id', open, remove('tokens'));
  app.post('/oauth/personal-access-tokens', open, async (request, reply) => {
    const { name, scopes: requestedScopes, current_password } = asObject(request.body);
    const hasScopes = Array.isArray(requestedScopes) && requestedScopes.length > 0;
    const body = { name, current_password, ...(hasScopes ? { scopes: requestedScopes } : {}) };
    const response = await callApi(app, request, { plainIds: true, method: 'POST', url: '/v1/tokens', body });
    if (response.status !== 201) return forwardResponse(reply, response);
    const { data } = parseJson<{ data: Row }>(response.text);
    return reply
      .header('cache-control', 'no-store')
      .send({ accessToken: data.access_token, token: asToken(data, noIssuers) });
  });

  app.get('/oauth/clients', open, (request, reply) =>
    list(request, reply, '/v1/clients?search=user_id:{me}&limit=100', asClient),
  );
  app.post('/oauth/clients', open, async (request, reply) => {
    const { name, redirect, confidential = true, current_password } = asObject(request.body);
    const isPublic = isOneOf([false, 0, '0', 'false'], confidential);
    const body = { type: 'application', name, redirect_uris: urisOf(redirect), public: isPublic, current_password };
    const response = await callApi(app, request, { plainIds: true, method: 'POST', url: '/v1/clients', body });
    if (response.status !== 201) return forwardResponse(reply, response);
    const { data } = parseJson<{ data: Row }>(response.text);
    const secret = data.client_secret ?? null;
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({ ...asClient(data, noIssuers), secret, plainSecret: secret });
  });
  app.put('/oauth/clients/:id', open, async (request: Named, reply) => {
    const { name, redirect, current_password } = asObject(request.body);
    const url = `/v1/clients/${encodeURIComponent(request.params.id)}`;
    const body = { name, current_password, ...(redirect === undefined ? {} : { redirect_uris: urisOf(redirect) }) };
    const response = await callApi(app, request, { plainIds: true, method: 'PATCH', url, body });
    if (response.status !== 200) return forwardResponse(reply, response);
    const { data } = parseJson<{ data: Row }>(response.text);
    return asClient(data, await issuersAmong([data]));
  });
  app.delete('/oauth/clients/:id', open, remove('clients'));
}

const urisOf = (redirect: unknown): string[] =>
  typeof redirect === 'string'
    ? redirect
        .split(',')
        .map((uri) => uri.trim())
        .filter((uri) => uri !== '')
    : [];

/** The clients that issued the personal access tokens of users in the old service. */
type Issuers = ReadonlySet<unknown>;
const noIssuers: Issuers = new Set();

const asToken = (
  { id, user_id, client_id, name, scopes, created_at, expires_at, client }: Row,
  issuers: Issuers,
): Row => {
  const { data } = asObject(client);
  return {
    id,
    user_id,
    client_id,
    name: name ?? null,
    scopes,
    revoked: false,
    created_at,
    updated_at: created_at,
    expires_at,
    client: isObject(data) ? asClient(data, issuers) : null,
  };
};

const asClient = ({ id, user_id, name, type, redirect_uris, created_at, updated_at }: Row, issuers: Issuers): Row => ({
  id,
  user_id,
  name,
  provider: null,
  redirect: Array.isArray(redirect_uris) ? redirect_uris.join(',') : '',
  personal_access_client: issuers.has(id),
  password_client: type === 'password',
  revoked: false,
  created_at,
  updated_at,
});
