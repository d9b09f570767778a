import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { type Caller, isAdmin, mayUseScope } from '../../platform/caller.ts';
import { OAuthError } from '../../platform/errors.ts';
import type { OAuth } from '../oauth.ts';

const purpose = 'client registration';
const prefix = 'ghr';

/** An initial access token (RFC 7591 1.2) that the operator hands out: good until then, for whoever has it. */
export const makeInitialToken = (keys: KeyRing, expiresAt: number): string => {
  const what = `${prefix}.${expiresAt}.${randomBytes(12).toString('base64url')}`;
  return `${what}.${keys.mac(purpose, what)}`;
};

function isInitialToken(keys: KeyRing, token: string, now: number): boolean {
  const [, what, expiresAt, mac] = /^((?:ghr)\.(\d{1,15})\.[\w-]{16})\.([\w-]{43})$/.exec(token) ?? [];
  return what !== undefined && mac !== undefined && Number(expiresAt) > now && keys.matches(purpose, what, mac);
}

/** RFC 6750 3.1. */
export const invalidToken = (reason?: string): OAuthError =>
  new OAuthError('invalid_token', 'This needs another token, or one that is still good.', {
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer realm="gatehouse", error="invalid_token"' },
    ...(reason ? { reason } : {}),
  });

const scopeOfRegistration = 'clients:write';

/** Who registers a client: nobody that is known, by a token of the operator's, or an administrator by their own. */
export async function whoRegisters(
  { context, keys, verifier }: OAuth,
  token: string | undefined,
  anonymous: Caller,
): Promise<Caller> {
  if (context.config.dynamicClients === 'open') return anonymous;
  if (token === undefined) throw invalidToken();
  await keys.ensureCurrent();
  if (isInitialToken(keys, token, context.now())) return anonymous;
  const caller = await verifier.verify(token, null);
  if (isAdmin(caller) && mayUseScope(caller, scopeOfRegistration)) return caller;
  throw new OAuthError(
    'access_denied',
    `Only an administrator's token with ${scopeOfRegistration} registers clients.`,
    {
      status: 403,
    },
  );
}

/** A registration access token (RFC 7592 1.2): random, so a plain hash is enough. */
export const makeRegistrationToken = (): string => randomBytes(32).toString('base64url');
export const hashRegistrationToken = (token: string): string => hash('sha256', token, 'base64url');

export const isRegistrationToken = (token: string, stored: string | null): boolean =>
  stored !== null && timingSafeEqual(Buffer.from(hashRegistrationToken(token)), Buffer.from(stored));
