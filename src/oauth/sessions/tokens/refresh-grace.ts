import type { Config } from '../../../config/config.ts';
import type { SessionRow } from '../store/session-store.ts';

type Generations = Pick<SessionRow, 'generation' | 'used_generation' | 'used_at'>;

/** Whether tokens of the newest generation have been used: then their holder has them, and needs no predecessor. */
export const newestIsUsed = ({ generation, used_generation }: Omit<Generations, 'used_at'>): boolean =>
  used_generation !== null && used_generation >= generation;

/**
 * Whether a refresh token that was used already gets its successor again: the immediate predecessor of the newest, until
 * that one is known to have arrived, and REFRESH_GRACE longer for whatever was under way.
 */
export function mayRepeat(session: Generations, presented: number, { refreshGrace }: Config, now: number): boolean {
  if (presented !== session.generation - 1) return false;
  return !newestIsUsed(session) || now - (session.used_at ?? 0) <= refreshGrace * 1000;
}
