import type { Config } from '../../../config/config.ts';
import type { SessionRow } from './session-store.ts';

/** When a session ends if nothing ends it before: by its own column, and for logins by SESSION_MAX_AGE too. */
export function sessionEnd(
  { type, created_at, expires_at }: Pick<SessionRow, 'type' | 'created_at' | 'expires_at'>,
  { sessionMaxAge }: Config,
): number {
  if (type === 'personal' || sessionMaxAge === 0) return expires_at;
  return Math.min(expires_at, created_at + sessionMaxAge * 1000);
}
