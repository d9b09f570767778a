import { asObject } from '../../platform/is-object.ts';

/** The error in a set of public keys (RFC 7517 5), as the end of a sentence. Undefined if there is none. */
export function checkJwks(jwks: unknown): string | undefined {
  const { keys } = asObject(jwks);
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > maxKeys) {
    return `must be an object with a list keys of 1 to ${maxKeys}`;
  }
  if (JSON.stringify(jwks).length > maxJwksLength) return `must have at most ${maxJwksLength} characters`;
  if (!keys.every(isPublicKey))
    return 'must contain only public keys: EC, OKP, or RSA with at least 2048 bits, without their private part';
  return undefined;
}

const maxKeys = 20;
const maxJwksLength = 20_000;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** 2048 bits in base64url (RFC 7518 3.3). */
const minModulusLength = 342;

function isPublicKey(key: unknown): boolean {
  const { kty, n, ...rest } = asObject(key);
  if (kty === 'RSA' && (typeof n !== 'string' || n.length < minModulusLength)) return false;
  return ['EC', 'OKP', 'RSA'].includes(String(kty)) && !privateMembers.some((name) => Object.hasOwn(rest, name));
}
