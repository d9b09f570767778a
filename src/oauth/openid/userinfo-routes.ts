import type { FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { bearerToken } from '../../http/gate/authenticate.ts';
import { insufficientScope, requireScope, unauthorized } from '../../http/gate/unauthorized.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import type { Caller } from '../../platform/caller.ts';
import { OAuthError } from '../../platform/errors.ts';
import { asObject } from '../../platform/is-object.ts';
import { openidScope } from '../clients/scopes/scopes.ts';
import type { OAuth } from '../oauth.ts';
import { oauthErrorSchema } from '../schemas.ts';
import { readDetails } from '../sessions/store/grant-details.ts';
import { findSession } from '../sessions/store/session-store.ts';
import { claimsOf, UserInfo } from './claims.ts';

const schema = { tags: ['OAuth'], response: { 200: UserInfo, 401: oauthErrorSchema, 403: oauthErrorSchema } };
const responses = { errors: 'oauth', cors: 'applications' } as const;

/** `GET` and `POST /oauth/userinfo` (OpenID Connect Core 5.3). */
export function serveUserInfo(app: App, oauth: OAuth): void {
  app.get(
    '/oauth/userinfo',
    {
      config: { ...responses, auth: 'auth:api', scope: openidScope },
      schema: {
        ...schema,
        operationId: 'getUserInfo',
        summary: 'Get the claims of the user (OpenID Connect userinfo)',
      },
    },
    async (request) => userInfo(oauth, request.caller),
  );
  app.post(
    '/oauth/userinfo',
    {
      // The token may be in the body, so the handler authenticates the caller.
      config: { ...responses, auth: 'public', limited: 'when-known' },
      schema: {
        ...schema,
        operationId: 'postUserInfo',
        summary:
          'Get the claims of the user, with the access token in the header or in a form (OpenID Connect userinfo)',
      },
    },
    async (request, reply) => {
      const caller = await callerOfPost(oauth, request);
      reply.countRequest(caller.userId ?? caller.clientId ?? '');
      reply.header('cache-control', 'no-store');
      return userInfo(oauth, caller);
    },
  );
}

/** The caller of a POST: the token is in the header or in the form (RFC 6750 2.2), never in both. */
async function callerOfPost({ verifier }: OAuth, request: FastifyRequest): Promise<Caller> {
  const formToken = asObject(request.body).access_token;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '');
  if (!isForm || typeof formToken !== 'string') return verifier.verify(bearerToken(request), request);
  if (request.headers.authorization !== undefined) {
    throw new OAuthError('invalid_request', 'The access token was sent twice: use the header or the form, not both.');
  }
  return verifier.verify(formToken, request);
}

/** OpenID Connect Core 5.3: the claims of the token's scopes, and the claims that were requested by name. */
export async function userInfo({ context }: OAuth, caller: Caller): Promise<UserInfo> {
  requireScope(caller, openidScope);
  // The client acts for itself, without a user.
  if (caller.kind !== 'user' || caller.userId === null) throw insufficientScope(openidScope);
  const user = await findUser(context.database.db, caller.userId);
  if (!user) throw unauthorized('user_gone');
  const session = caller.sessionId === null ? undefined : await findSession(context.database, caller.sessionId);
  return claimsOf(user, caller.scopes, readDetails(session?.details ?? null).claims?.userinfo);
}
