import type { Config } from '../../../config/config.ts';
import type { KeyRing } from '../../../database/keys/key-ring.ts';
import type { SessionRow } from '../store/session-store.ts';

const purpose = 'refresh token';

/**
 * Contains the session id, the generation, and a MAC of both. It is not stored and can be made again at any time. The
 * generation is JSON in base64url, because keycloak-js decodes the middle part of a refresh token like that of a JWT.
 */
export function makeRefreshToken(keys: KeyRing, { id, generation }: Pick<SessionRow, 'id' | 'generation'>): string {
  const data = `${id}.${Buffer.from(String(generation)).toString('base64url')}`;
  return `${data}.${keys.macKeys.mac(purpose, data)}`;
}

/** Undefined unless this service made the token. A forged token costs no query. */
export function readRefreshToken(keys: KeyRing, token: string): { sessionId: string; generation: number } | undefined {
  const parts = /^([0-9a-f-]{36})\.([\w-]{2,14})\.([\w-]{43})$/.exec(token);
  if (!parts) return undefined;
  const [, sessionId = '', generation = '', mac = ''] = parts;
  if (!keys.macKeys.matches(purpose, `${sessionId}.${generation}`, mac)) return undefined;
  return { sessionId, generation: Number(Buffer.from(generation, 'base64url').toString()) };
}

type Generations = Pick<SessionRow, 'generation' | 'used_generation' | 'used_at'>;

/** Whether tokens of the newest generation have been used. Then the client has received them and no longer needs the predecessor. */
export const isNewestGenerationUsed = ({ generation, used_generation }: Omit<Generations, 'used_at'>): boolean =>
  used_generation !== null && used_generation >= generation;

/** Whether a replaced refresh token still returns its successor: until the successor is used, plus REFRESH_GRACE. */
export function isWithinGrace(session: Generations, presented: number, { refreshGrace }: Config, now: number): boolean {
  if (presented !== session.generation - 1) return false;
  return !isNewestGenerationUsed(session) || now - (session.used_at ?? 0) <= refreshGrace * 1000;
}
