import type { FastifySchema } from 'fastify';
import { Type } from 'typebox';

const maybe = (description: string) => Type.Optional(Type.String({ description }));

/** For the API reference. The endpoint judges by OpenID Connect's own rules, and answers with pages and redirects. */
export const logoutSchema: FastifySchema = {
  tags: ['OAuth'],
  operationId: 'endSession',
  summary: 'Send the browser of a person here, to sign out (OpenID Connect RP-Initiated Logout)',
  querystring: Type.Object({
    id_token_hint: maybe('the ID token of the login, expired or not; without it the person is asked'),
    client_id: maybe('the application that asks'),
    post_logout_redirect_uri: maybe('one of the registered ones, to the letter'),
    state: maybe('given back as it is'),
  }),
  response: {
    200: { description: 'A page: the person is asked, or is signed out', type: 'string' },
    302: { description: 'Back to the application with `state`', type: 'null' },
    400: { description: 'A page: the client or the address to go on to is wrong', type: 'string' },
  },
};
