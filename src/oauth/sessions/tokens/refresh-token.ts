import type { KeyRing } from '../../../database/keys/key-ring.ts';
import type { SessionRow } from '../store/session-store.ts';

const purpose = 'refresh token';

/**
 * Session, generation, and a MAC of both: nothing of it is stored, and it can be made again at any time. The generation is
 * JSON in base64url, because keycloak-js decodes the middle part of a refresh token as it does that of a JWT.
 */
export function makeRefreshToken(keys: KeyRing, { id, generation }: Pick<SessionRow, 'id' | 'generation'>): string {
  const data = `${id}.${Buffer.from(String(generation)).toString('base64url')}`;
  return `${data}.${keys.macKeys.mac(purpose, data)}`;
}

/** Undefined for what was not made here: a forged token costs no query. */
export function readRefreshToken(keys: KeyRing, token: string): { sessionId: string; generation: number } | undefined {
  const parts = /^([0-9a-f-]{36})\.([\w-]{2,14})\.([\w-]{43})$/.exec(token);
  if (!parts) return undefined;
  const [, sessionId, generation, mac] = parts as unknown as [string, string, string, string];
  if (!keys.macKeys.matches(purpose, `${sessionId}.${generation}`, mac)) return undefined;
  return { sessionId, generation: Number(Buffer.from(generation, 'base64url').toString()) };
}
