import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../../src/database/context.ts';
import { forbidApplications } from '../../src/http/gate/forbid-applications.ts';
import { requireProof } from '../../src/http/gate/require-proof.ts';
import { unauthorized } from '../../src/http/gate/unauthorized.ts';
import { createShortToken, hashShortToken, shortTokenKind } from '../../src/oauth/clients/secrets/short-token.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { anonymousCaller, type Caller, hasScope, isAdmin } from '../../src/platform/caller.ts';
import { OAuthError } from '../../src/platform/errors.ts';
import { hasInitialToken, insertInitialToken } from './registration-store.ts';

/** An initial access token (RFC 7591 1.2) for the operator to hand out. It can be used repeatedly until it expires. */
export async function makeInitialToken({ database, now }: Context, expiresAt: number): Promise<string> {
  const token = createShortToken('reg');
  const row = { hash: hashShortToken(token), created_at: now(), expires_at: expiresAt };
  await insertInitialToken(database.db, row);
  return token;
}

const isInitialToken = async ({ database, now }: Context, token: string): Promise<boolean> =>
  shortTokenKind(token) === 'reg' && hasInitialToken(database.db, hashShortToken(token), now());

/** RFC 6750 3.1. */
export const invalidToken = (): OAuthError =>
  new OAuthError('invalid_token', 'The token is wrong or has expired.', {
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer realm="gatehouse", error="invalid_token"' },
  });

const scopeOfRegistration = 'clients:write';

/** Checks whether a client may be registered: openly, with an initial access token, or with an administrator's token. */
export async function authorizeRegistration({ context, keys, verifier }: OAuth, token: string | undefined) {
  if (context.config.dynamicClients === 'open') return anonymousCaller;
  if (token === undefined) throw unauthorized('token_missing');
  await keys.ensureCurrent();
  if (await isInitialToken(context, token)) return anonymousCaller;
  const caller = await verifier.verify(token, null);
  requireRegistrar(caller, context.now());
  return caller;
}

/** An administrator needs the same recent proof as for `POST /v1/clients`. */
export function requireRegistrar(caller: Caller, now: number): void {
  if (!isAdmin(caller) || !hasScope(caller, scopeOfRegistration)) {
    const message = `Registering clients requires an administrator's token with ${scopeOfRegistration}.`;
    throw new OAuthError('access_denied', message, { status: 403 });
  }
  forbidApplications(caller);
  requireProof(caller, now);
}

/** A registration access token (RFC 7592 1.2) is random, so a plain hash is enough. */
export const isRegistrationToken = (token: string, stored: string | null): boolean =>
  stored !== null && timingSafeEqual(Buffer.from(hashShortToken(token)), Buffer.from(stored));
