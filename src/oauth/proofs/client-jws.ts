import { createPublicKey, hash } from 'node:crypto';
import { decodePart } from '../../database/keys/jws-parts.ts';
import { verifyWith } from '../../database/keys/signing.ts';
import type { StoredClient } from '../clients/client-store.ts';

/** A JWK from a client (RFC 7517 4), not checked yet. */
export type Jwk = Readonly<Record<string, unknown>>;

/** A JWS of a client, not verified yet. */
export type ClientJws = NonNullable<ReturnType<typeof readJws>>;

/** The algorithms that clients may sign with. This service knows only their public keys. */
export const proofAlgorithms: readonly string[] = ['ES256', 'EdDSA', 'PS256', 'RS256'];
/** FAPI 2.0 Security Profile 5.4.1. */
const fapiAlgorithms: readonly string[] = ['ES256', 'EdDSA', 'PS256'];

export const algorithmsOf = ({ fapi }: Pick<StoredClient, 'fapi'>): readonly string[] =>
  fapi ? fapiAlgorithms : proofAlgorithms;

/** RFC 7518 3.3 and 3.5, in bits. */
const minRsaBits = 2048;
/** A signature takes 100 times as long to verify with an exponent as long as the modulus. */
const maxRsaBits = 4096;
const maxRsaExponent = 2n ** 32n;

const maxJwsLength = 16_384;

/** PostgreSQL cannot store a NUL character. JSON can contain it only as this escape sequence. */
const containsNul = (part: string): boolean => Buffer.from(part, 'base64url').includes('\\u0000');

/** Undefined if the token is not a signed JWT. */
export function readJws(token: string) {
  const parts = token.length > maxJwsLength ? null : /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token);
  if (!parts) return undefined;
  const [, head = '', body = '', signature = ''] = parts;
  const [header, claims] = [decodePart(head), decodePart(body)];
  if (!header || !claims || 'crit' in header || containsNul(body)) return undefined;
  return { header, claims, data: `${head}.${body}`, signature };
}

/** Whether this key signed the JWS, with an allowed algorithm. False for an unreadable key. */
export function isSignedBy({ header, data, signature }: ClientJws, jwk: Jwk, algorithms = proofAlgorithms): boolean {
  const { alg } = header;
  if (typeof alg !== 'string' || !algorithms.includes(alg) || jwk.kty !== keyTypes[alg]) return false;
  if ((jwk.alg !== undefined && jwk.alg !== alg) || (jwk.use !== undefined && jwk.use !== 'sig')) return false;
  // RFC 7518 3.4. A signature takes ten times as long to verify with P-521.
  if (alg === 'ES256' && jwk.crv !== 'P-256') return false;
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const { modulusLength = minRsaBits, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
    if (modulusLength < minRsaBits || modulusLength > maxRsaBits || publicExponent > maxRsaExponent) return false;
    return verifyWith(alg, key, data, signature);
  } catch {
    return false;
  }
}

const keyTypes: Readonly<Record<string, string>> = { ES256: 'EC', EdDSA: 'OKP', PS256: 'RSA', RS256: 'RSA' };
/** A Map, so that `"kty": "toString"` finds nothing. */
const thumbprintMembers: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['EC', ['crv', 'kty', 'x', 'y']],
  ['OKP', ['crv', 'kty', 'x']],
  ['RSA', ['e', 'kty', 'n']],
]);

/** RFC 7638. Undefined if the JWK is invalid or private. */
export function thumbprint(jwk: Jwk): string | undefined {
  const names = thumbprintMembers.get(jwk.kty);
  if (!names || 'd' in jwk || names.some((name) => typeof jwk[name] !== 'string')) return undefined;
  return hash('sha256', JSON.stringify(Object.fromEntries(names.map((name) => [name, jwk[name]]))), 'base64url');
}
