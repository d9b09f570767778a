import { randomBytes } from 'node:crypto';
import { uuidv7 } from '../uuid.ts';
import type { KeyRow } from './key-store.ts';
import type { Sealing } from './sealing.ts';
import { generateSigningKey, publicJwk, type SigningAlgorithm } from './signing.ts';

export async function createSigningKey(
  sealing: Sealing,
  algorithm: SigningAlgorithm,
  { now, signsFrom, signs = null }: { now: number; signsFrom: number; signs?: KeyRow['signs'] },
): Promise<KeyRow> {
  const id = uuidv7(now);
  const privateKey = await generateSigningKey(algorithm);
  return {
    id,
    purpose: 'sign',
    signs,
    algorithm,
    public_jwk: JSON.stringify(publicJwk(privateKey, id, algorithm)),
    sealed_private: sealing.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), id),
    created_at: now,
    signs_from: signsFrom,
    retires_at: null,
  };
}

/** The default algorithm of ID tokens. Every client supports it (OpenID Connect Core 15.1). */
export const idTokenAlgorithm: SigningAlgorithm = 'RS256';

export const createIdTokenKey = (sealing: Sealing, times: { now: number; signsFrom: number }): Promise<KeyRow> =>
  createSigningKey(sealing, idTokenAlgorithm, { ...times, signs: 'id_token' });

export function createMacKey(sealing: Pick<Sealing, 'seal'>, times: { now: number; signsFrom: number }): KeyRow {
  const { now, signsFrom } = times;
  const id = uuidv7(now);
  return {
    id,
    purpose: 'mac',
    signs: null,
    algorithm: 'HS256',
    public_jwk: null,
    sealed_private: sealing.seal(randomBytes(32), id),
    created_at: now,
    signs_from: signsFrom,
    retires_at: null,
  };
}
