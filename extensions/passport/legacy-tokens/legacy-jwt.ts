import { type KeyObject, verify } from 'node:crypto';
import { decodePart } from '../../../src/database/keys/jws-parts.ts';

/**
 * The claims of a Passport access token. The user is not read from it: a token that a client got for itself names the
 * client, or no user.
 */
export interface LegacyClaims {
  readonly jti: string;
  readonly clientId: string;
  /** Seconds, with fractions in newer versions. */
  readonly expires: number;
  readonly issued: number;
  readonly notBefore: number;
}

const form = /^([\w-]{10,2000})\.([\w-]{10,60000})\.([\w-]{171,1400})$/;

/** Whether the token can be from Passport, by its header: Passport's have no `kid`, ours always do. */
export function looksLikeLegacyJwt(token: string): boolean {
  const [, head] = form.exec(token) ?? [];
  const header = head && decodePart(head);
  return !!header && header.alg === 'RS256' && !('kid' in header) && !('crit' in header);
}

/** The claims of a token that the old service signed, expired or not. */
export function readLegacyJwt(token: string, key: KeyObject): LegacyClaims | undefined {
  const parts = form.exec(token);
  if (!parts || !looksLikeLegacyJwt(token)) return undefined;
  const [, head = '', body = '', signature = ''] = parts;
  if (!verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))) return undefined;
  const claims = decodePart(body);
  if (!claims) return undefined;
  const { jti, aud, exp, iat = 0, nbf = 0 } = claims;
  const clientId = Array.isArray(aud) ? aud[0] : aud;
  if (typeof jti !== 'string' || jti === '' || (typeof clientId !== 'string' && typeof clientId !== 'number')) {
    return undefined;
  }
  const [expires, issued, notBefore] = [Number(exp), Number(iat), Number(nbf)];
  if (exp === null || ![expires, issued, notBefore].every(Number.isFinite)) return undefined;
  return { jti, clientId: String(clientId), expires, issued, notBefore };
}
