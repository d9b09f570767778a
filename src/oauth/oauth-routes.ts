import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { jwksMaxAge } from '../crypto/key-ring.ts';
import { createDeviceCookie } from '../http/device-cookie.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { answerIntrospection } from './introspect.ts';
import { authorizationServerMetadata } from './metadata.ts';
import type { OAuth } from './oauth.ts';
import { answerRevocation } from './revoke.ts';
import {
  introspectionSchema,
  oauthErrorSchema,
  tokenParametersSchema,
  tokenResponseSchema,
  tokenToJudgeSchema,
} from './schemas.ts';
import { answerTokenRequest } from './token-endpoint.ts';

const config = { auth: 'public', errors: 'oauth' } as const;
const open = { auth: 'public', limited: false } as const;
const tags = ['OAuth'];
const consumes = ['application/x-www-form-urlencoded', 'application/json'];
const errors = { 400: oauthErrorSchema, 401: oauthErrorSchema, 429: oauthErrorSchema };

/** RFC 6749 5.1: for every answer, the refusals too. */
export function neverStore(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
  done();
}

/** The schemas describe; the parameters are judged by RFC 6749's own rules, which have their own errors. */
export const judgedByHand = () => () => true;

/** Answers are put together here, field by field: there is nothing for a schema to leave out. */
const writtenWhole = () => JSON.stringify;

const requestOf = (request: FastifyRequest) => ({
  authorization: request.headers.authorization,
  body: request.body,
  origin: originOf(request),
});

export function serveOAuth(app: App, oauth: OAuth): void {
  const deviceCookie = createDeviceCookie(oauth.context.config);
  const route = {
    config,
    onRequest: neverStore,
    validatorCompiler: judgedByHand,
    serializerCompiler: writtenWhole,
  };

  app.post(
    '/v1/oauth/token',
    {
      ...route,
      schema: {
        tags,
        summary: 'Get tokens',
        consumes,
        body: tokenParametersSchema,
        response: { 200: tokenResponseSchema, ...errors },
      },
    },
    async (request, reply) => {
      const origin = deviceCookie.originOf(request);
      const { response, device } = await answerTokenRequest(oauth, { ...requestOf(request), origin });
      if (device !== undefined) deviceCookie.set(reply, device);
      return response;
    },
  );

  app.post(
    '/v1/oauth/revoke',
    {
      ...route,
      schema: {
        tags,
        summary: 'Revoke a token, and the session it belongs to (RFC 7009)',
        consumes,
        body: tokenToJudgeSchema,
        response: { 200: Type.Object({}, { description: 'The token is not valid (any more).' }), ...errors },
      },
    },
    async (request) => answerRevocation(oauth, requestOf(request)),
  );

  app.post(
    '/v1/oauth/introspect',
    {
      ...route,
      schema: {
        tags,
        summary: 'Ask what a token is good for (RFC 7662)',
        consumes,
        body: tokenToJudgeSchema,
        response: { 200: introspectionSchema, ...errors },
      },
    },
    async (request) => answerIntrospection(oauth, requestOf(request)),
  );

  app.get(
    '/.well-known/oauth-authorization-server',
    { config: open, schema: { tags, summary: 'Authorization server metadata (RFC 8414)' } },
    async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300');
      return authorizationServerMetadata(oauth.context.config, oauth.scopes);
    },
  );

  app.get(
    '/.well-known/jwks.json',
    { config: open, schema: { tags, summary: 'The public keys that verify access tokens (RFC 7517)' } },
    async (_request, reply) => {
      await oauth.keys.fresh();
      reply.header('cache-control', `public, max-age=${jwksMaxAge}`);
      return oauth.keys.jwks();
    },
  );
}
