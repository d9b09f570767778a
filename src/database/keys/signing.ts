import {
  constants,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  type SignKeyObjectInput,
  sign,
  verify,
} from 'node:crypto';
import { promisify } from 'node:util';
import { encodePart } from './jws-parts.ts';

export type SigningAlgorithm = 'ES256' | 'EdDSA' | 'RS256';

interface Scheme {
  readonly digest: string | null;
  /** RFC 7518 3.4 (ES256): r and s side by side, not in DER. */
  options(key: KeyObject): KeyObject | SignKeyObjectInput;
}

const generate = promisify(generateKeyPair);

const generators = {
  ES256: () => generate('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generate('ed25519'),
  RS256: () => generate('rsa', { modulusLength: 2048 }),
} satisfies Record<SigningAlgorithm, () => Promise<{ privateKey: KeyObject }>>;

export const generateSigningKey = async (algorithm: SigningAlgorithm) => (await generators[algorithm]()).privateKey;

/** JOSE's names for the algorithms of node:crypto. Clients sign with PS256; this service does not. */
const schemes = new Map<string, Scheme>(
  Object.entries({
    ES256: { digest: 'sha256', options: (key) => ({ key, dsaEncoding: 'ieee-p1363' }) },
    EdDSA: { digest: null, options: (key) => key },
    RS256: { digest: 'sha256', options: (key) => key },
    PS256: { digest: 'sha256', options: (key) => ({ key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }) },
  } satisfies Record<string, Scheme>),
);

function schemeOf(algorithm: string): Scheme {
  const scheme = schemes.get(algorithm);
  if (!scheme) throw new Error(`unknown JWS algorithm ${algorithm}`);
  return scheme;
}

/** RFC 7517, for the key set that resource servers read. */
export type PublicJwk = Readonly<Record<string, unknown>> & { readonly kid: string };

export const publicJwk = (privateKey: KeyObject, kid: string, alg: string): PublicJwk => ({
  ...createPublicKey(privateKey).export({ format: 'jwk' }),
  kid,
  alg,
  use: 'sig',
});

/** The input of a compact JWS: the encoded header, a dot, and the JSON of the claims. */
export type Unsigned = `${string}.${string}`;

export function signJws(algorithm: string, key: KeyObject, unsigned: Unsigned): string {
  const dot = unsigned.indexOf('.');
  const data = `${unsigned.slice(0, dot)}.${encodePart(unsigned.slice(dot + 1))}`;
  const { digest, options } = schemeOf(algorithm);
  return `${data}.${sign(digest, Buffer.from(data), options(key)).toString('base64url')}`;
}

export function verifyWith(algorithm: string, key: KeyObject, data: string, signature: string): boolean {
  const { digest, options } = schemeOf(algorithm);
  return verify(digest, Buffer.from(data), options(key), Buffer.from(signature, 'base64url'));
}
