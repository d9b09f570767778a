import { createDecipheriv, createHash, createHmac, hkdfSync, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { asObject } from '../../../src/platform/is-object.ts';

/** The encrypted content of a Passport refresh token. */
export interface RefreshPayload {
  readonly clientId: string;
  readonly refreshTokenId: string;
  readonly accessTokenId: string;
  readonly userId: string | null;
  readonly scopes: readonly string[];
  /** Seconds. */
  readonly expires: number;
}

const version = 'def50200';
const rounds = 100_000;
const [saltLength, ivLength, macLength] = [32, 16, 32];
const minLength = 2 * (4 + saltLength + ivLength + macLength + 100);
const maxLength = 32_768;

/** Whether the text can be a Passport refresh token. Checked first, because decryption is expensive. */
export const looksLikeLegacyRefreshToken = (token: string): boolean =>
  token.length >= minLength &&
  token.length <= maxLength &&
  token.length % 2 === 0 &&
  token.slice(0, version.length).toLowerCase() === version &&
  /^[0-9a-f]+$/i.test(token);

/** Decrypts defuse/php-encryption v2 by password (APP_KEY). Slow: run it in a thread. Undefined if the key is wrong. */
export function decryptLegacyRefreshToken(token: string, appKey: Uint8Array): RefreshPayload | undefined {
  if (!looksLikeLegacyRefreshToken(token)) return undefined;
  const bytes = Buffer.from(token, 'hex');
  const salt = bytes.subarray(4, 4 + saltLength);
  const iv = bytes.subarray(4 + saltLength, 4 + saltLength + ivLength);
  const sealed = bytes.subarray(4 + saltLength + ivLength, bytes.length - macLength);
  const mac = bytes.subarray(bytes.length - macLength);
  const prekey = pbkdf2Sync(createHash('sha256').update(appKey).digest(), salt, rounds, 32, 'sha256');
  const subkey = (info: string) => Buffer.from(hkdfSync('sha256', prekey, salt, `DefusePHP|V2|${info}`, 32));
  const expected = createHmac('sha256', subkey('KeyForAuthentication'))
    .update(bytes.subarray(0, bytes.length - macLength))
    .digest();
  if (!timingSafeEqual(expected, mac)) return undefined;
  const decipher = createDecipheriv('aes-256-ctr', subkey('KeyForEncryption'), iv);
  return readPayload(Buffer.concat([decipher.update(sealed), decipher.final()]).toString());
}

function readPayload(json: string): RefreshPayload | undefined {
  let values: Readonly<Record<string, unknown>>;
  try {
    values = asObject(JSON.parse(json));
  } catch {
    return undefined;
  }
  const { client_id, refresh_token_id, access_token_id, user_id, scopes, expire_time } = values;
  const expires = Number(expire_time);
  if (typeof refresh_token_id !== 'string' || typeof access_token_id !== 'string' || !Number.isFinite(expires)) {
    return undefined;
  }
  return {
    clientId: String(client_id ?? ''),
    refreshTokenId: refresh_token_id,
    accessTokenId: access_token_id,
    // League 8 writes a number, 9 a string. A token that a client got for itself has no user.
    userId: user_id === null || user_id === undefined || user_id === '' ? null : String(user_id),
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
    expires,
  };
}
