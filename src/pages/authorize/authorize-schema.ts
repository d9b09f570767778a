import type { FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { prompts } from '../../oauth/authorize/authorization-request.ts';
import { responseModes } from '../../oauth/authorize/authorization-response.ts';

const text = (description?: string) => Type.String(description ? { description } : {});
const maybe = (description?: string) => Type.Optional(text(description));
/** For the API reference. The endpoint judges by RFC 6749's own rules, and answers with pages and redirects. */
export const authorizeSchema: FastifySchema = {
  tags: ['OAuth'],
  operationId: 'authorize',
  summary:
    'Sign a user in to an application; open this address in the browser (RFC 6749 4.1, RFC 7636, OpenID Connect)',
  querystring: Type.Object({
    response_type: Type.Literal('code'),
    client_id: text(),
    redirect_uri: text('one of the registered ones; the port of a loopback address is free'),
    code_challenge: maybe('the SHA-256 hash of code_verifier in base64url; required of public applications'),
    code_challenge_method: Type.Optional(Type.Literal('S256')),
    claims: maybe('JSON: claims by name, for userinfo and id_token (OpenID Connect Core 5.5)'),
    response_mode: maybe(responseModes.join(', ')),
    scope: maybe('scopes, separated by spaces; default: only openid'),
    authorization_details: maybe('JSON: a list of objects of the declared types (RFC 9396)'),
    state: maybe('given back as it is'),
    nonce: maybe('for the ID token'),
    prompt: maybe(prompts.join(', ')),
    max_age: maybe('seconds after which the person has to sign in again'),
    login_hint: maybe('filled in on the login page'),
    id_token_hint: maybe('who is expected to be signed in'),
    resource: maybe('what the tokens are for (RFC 8707); may repeat'),
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
