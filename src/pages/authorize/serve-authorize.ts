import type { FastifySchema } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../http/app.ts';
import { noValidation } from '../../http/no-validation.ts';
import { queryOf } from '../../http/query-of.ts';
import { prompts, responseModes } from '../../oauth/authorize/authorization-request.ts';
import { badRequest } from '../../platform/errors.ts';
import { type PageKit, PageRequest } from '../kit/page-request.ts';
import { AuthorizePageRequest } from './authorize-page.ts';
import { continuePath, readContinuation } from './destinations.ts';

const text = (description?: string) => Type.String(description ? { description } : {});
const maybe = (description?: string) => Type.Optional(text(description));
/** Only for the API reference. The endpoint validates by RFC 6749, and responds with pages and redirects. */
const authorizeSchema: FastifySchema = {
  tags: ['OAuth'],
  operationId: 'authorize',
  summary:
    'Sign a user in to an application; open this address in the browser (RFC 6749 4.1, RFC 7636, OpenID Connect)',
  querystring: Type.Object({
    response_type: Type.Literal('code'),
    client_id: text(),
    redirect_uri: text('a registered redirect URI; a loopback address may use any port'),
    code_challenge: maybe('the SHA-256 hash of code_verifier in base64url; required of public applications'),
    code_challenge_method: Type.Optional(Type.Literal('S256')),
    claims: maybe('JSON: claims by name, for userinfo and id_token (OpenID Connect Core 5.5)'),
    response_mode: maybe(responseModes.join(', ')),
    scope: maybe('scopes, separated by spaces; default: only openid'),
    authorization_details: maybe('JSON: a list of objects of the declared types (RFC 9396)'),
    state: maybe('returned unchanged'),
    nonce: maybe('for the ID token'),
    prompt: maybe(prompts.join(', ')),
    max_age: maybe('seconds after which the user must sign in again'),
    login_hint: maybe('filled in on the login page'),
    id_token_hint: maybe('an ID token of the user who is expected to be signed in'),
    resource: maybe('the audience of the tokens (RFC 8707); may be repeated'),
  }),
  response: {
    200: { description: 'The consent page', type: 'string' },
    302: {
      description: 'A redirect to the login page, or to the application with `code` or `error`, `state` and `iss`',
      type: 'null',
    },
    400: { description: 'An error page: the client or its redirect URI is invalid', type: 'string' },
  },
};

const endpoint = '/oauth/authorize';
const decisionPath = `${endpoint}/decision`;
const config = { auth: 'public', web: 'optional', errors: 'page' } as const;
const schema = { hide: true };
/** The limit of a POST request, which continues in the address of a GET. */
const maxQueryLength = 8 * 1024;

/** RFC 6749 3.1. A page for signed-in users. Others sign in first and come back. */
export async function serveAuthorize(app: App, kit: PageKit): Promise<void> {
  const start = { config: { ...config, query: 'raw' }, schema: authorizeSchema, ...noValidation } as const;
  app.get(endpoint, { ...start, exposeHeadRoute: false }, (request, reply) => {
    const query = request.url.split('?').slice(1).join('?');
    return new AuthorizePageRequest(kit, request, reply, { query, progress: {} }).respond();
  });
  app.get(continuePath, { config, schema, exposeHeadRoute: false }, (request, reply) => {
    const continuation = readContinuation(kit.oauth, queryOf(request));
    return new AuthorizePageRequest(kit, request, reply, continuation).respond();
  });
  app.post(decisionPath, { config, schema }, (request, reply) => {
    const fields = new PageRequest(kit, request, reply).form('request', 'accepted', 'since', 'chosen', 'mac');
    return new AuthorizePageRequest(kit, request, reply, readContinuation(kit.oauth, fields)).decide();
  });
  await serveByPost(app, kit);
}

/** OpenID Connect Core 3.1.2.1: a form from another site comes without cookies, so it continues as a GET. */
async function serveByPost(app: App, kit: PageKit): Promise<void> {
  await app.register(async (scope) => {
    const type = 'application/x-www-form-urlencoded';
    scope.removeContentTypeParser(type);
    scope.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.post(endpoint, { config: { auth: 'public', errors: 'page' }, schema }, (request, reply) => {
      const { body } = request;
      const query = typeof body === 'string' ? new URLSearchParams(body) : new URLSearchParams(textsOf(body));
      const text = query.toString();
      // It would not fit into a header, and browsers would not follow it.
      if (text.length > maxQueryLength) throw badRequest('The application that sent you here sent too much data.');
      return new PageRequest(kit, request, reply).redirect(`${endpoint}?${text}`);
    });
  });
}

const textsOf = (body: unknown): [string, string][] =>
  Object.entries(body ?? {}).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
