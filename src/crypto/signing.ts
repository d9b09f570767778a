import { createPublicKey, generateKeyPair, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';

export type SigningAlgorithm = 'ES256' | 'EdDSA' | 'RS256';

interface Scheme {
  generate(): Promise<KeyObject>;
  sign(data: Buffer, key: KeyObject): Buffer;
  verify(data: Buffer, key: KeyObject, signature: Buffer): boolean;
}

const generate = promisify(generateKeyPair);

/** JOSE's names for what node:crypto does. */
const schemes = new Map<string, Scheme>([
  [
    'ES256',
    {
      generate: async () => (await generate('ec', { namedCurve: 'P-256' })).privateKey,
      // RFC 7518 3.4: r and s side by side, not in DER.
      sign: (data, key) => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }),
      verify: (data, key, signature) => verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature),
    },
  ],
  [
    'EdDSA',
    {
      generate: async () => (await generate('ed25519')).privateKey,
      sign: (data, key) => sign(null, data, key),
      verify: (data, key, signature) => verify(null, data, key, signature),
    },
  ],
  [
    'RS256',
    {
      generate: async () => (await generate('rsa', { modulusLength: 2048 })).privateKey,
      sign: (data, key) => sign('sha256', data, key),
      verify: (data, key, signature) => verify('sha256', data, key, signature),
    },
  ],
]);

function schemeOf(algorithm: string): Scheme {
  const scheme = schemes.get(algorithm);
  if (!scheme) throw new Error(`${algorithm} is not an algorithm that is known here`);
  return scheme;
}

export const generateSigningKey = (algorithm: SigningAlgorithm): Promise<KeyObject> => schemeOf(algorithm).generate();

/** RFC 7517, for the key set that resource servers read. */
export type PublicJwk = Readonly<Record<string, unknown>> & { readonly kid: string };

export const publicJwk = (privateKey: KeyObject, kid: string, alg: string): PublicJwk => ({
  ...createPublicKey(privateKey).export({ format: 'jwk' }),
  kid,
  alg,
  use: 'sig',
});

export const signWith = (algorithm: string, key: KeyObject, data: string): string =>
  schemeOf(algorithm).sign(Buffer.from(data), key).toString('base64url');

export const verifyWith = (algorithm: string, key: KeyObject, data: string, signature: string): boolean =>
  schemeOf(algorithm).verify(Buffer.from(data), key, Buffer.from(signature, 'base64url'));
