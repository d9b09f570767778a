import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../src/http/app.ts';
import { namedSchema } from '../../src/http/named-schema.ts';
import { paramsOf } from '../../src/http/query-of.ts';
import { requestSource } from '../../src/http/request-source.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { oauthErrorResponses, oauthRouteOptions, oauthTags } from '../../src/oauth/oauth-routes.ts';
import { lazy } from '../../src/platform/lazy.ts';
import type { RegistrationRequest } from './register-client.ts';

const strings = Type.Array(Type.String());
const metadataSchema = namedSchema(
  'ClientMetadata',
  Type.Object(
    {
      client_name: Type.Optional(Type.String()),
      redirect_uris: Type.Optional(strings),
      grant_types: Type.Optional(strings),
      response_types: Type.Optional(strings),
      token_endpoint_auth_method: Type.Optional(
        Type.Union([Type.Literal('client_secret_basic'), Type.Literal('client_secret_post'), Type.Literal('none')]),
      ),
      scope: Type.Optional(Type.String()),
      client_uri: Type.Optional(Type.String()),
      logo_uri: Type.Optional(Type.String()),
      post_logout_redirect_uris: Type.Optional(strings),
      backchannel_logout_uri: Type.Optional(Type.String()),
    },
    {
      additionalProperties: true,
      examples: [{ client_name: 'Garage door', redirect_uris: ['https://app.example/callback'] }],
      description: 'RFC 7591 2; unknown members are ignored',
    },
  ),
);
const informationSchema = namedSchema(
  'ClientInformation',
  Type.Object(
    {
      client_id: Type.String(),
      client_secret: Type.Optional(Type.String({ description: 'Shown only in the response to the registration' })),
      registration_access_token: Type.String(),
      registration_client_uri: Type.String(),
    },
    { additionalProperties: true, description: 'RFC 7591 3.2.1' },
  ),
);
const params = Type.Object({ client_id: Type.String() });
const deletedResponse = Type.Null({ description: 'The registration was deleted' });

/** The rate limit counts by address, with any token. */
const route = { ...oauthRouteOptions, config: { ...oauthRouteOptions.config, limited: true } };

const requestOf = (request: FastifyRequest): RegistrationRequest => ({
  token: /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1],
  body: request.body,
  source: requestSource(request),
});

const managed = (request: FastifyRequest) => ({ ...requestOf(request), clientId: paramsOf(request).client_id ?? '' });

const loadRegistering = lazy(() => import('./register-client.ts'));
const loadManaging = lazy(() => import('./manage-client.ts'));

/** RFC 7591 and RFC 7592. */
export function serveRegistration(app: App, oauth: OAuth): void {
  const schema = (operationId: string, summary: string, more: object) => ({
    tags: oauthTags,
    operationId,
    summary,
    ...more,
  });
  const described = { body: metadataSchema, response: { 200: informationSchema, ...oauthErrorResponses } };
  app.post(
    '/oauth/register',
    {
      ...route,
      schema: schema('registerClient', 'Register an application (RFC 7591), where DYNAMIC_CLIENTS lets it', {
        body: metadataSchema,
        response: { 201: informationSchema, ...oauthErrorResponses },
      }),
    },
    async (request, reply: FastifyReply) => {
      const { registerClient } = await loadRegistering();
      return reply.code(201).send(await registerClient(oauth, requestOf(request)));
    },
  );
  const clientPath = '/oauth/register/:client_id';
  app.get(
    clientPath,
    {
      ...route,
      schema: schema('readRegistration', 'Read the registration of an application (RFC 7592)', {
        params,
        response: { 200: informationSchema, ...oauthErrorResponses },
      }),
    },
    async (request) => (await loadManaging()).readRegistered(oauth, managed(request)),
  );
  app.put(
    clientPath,
    {
      ...route,
      schema: schema('replaceRegistration', 'Replace the registration (RFC 7592)', { params, ...described }),
    },
    async (request) => (await loadManaging()).replaceRegistered(oauth, managed(request)),
  );
  app.delete(
    clientPath,
    {
      ...route,
      schema: schema('removeRegistration', 'Delete the registration (RFC 7592)', {
        params,
        response: { 204: deletedResponse, ...oauthErrorResponses },
      }),
    },
    async (request, reply: FastifyReply) => {
      await (await loadManaging()).removeRegistered(oauth, managed(request));
      return reply.code(204).send();
    },
  );
}
