import type { SessionRow } from './session-store.ts';

/** How somebody proved who they are. It goes on with whatever is opened on the strength of it. */
export interface Authentication {
  readonly time: number;
  /** RFC 8176. */
  readonly amr: readonly string[];
  /** A level: `1` is one factor. */
  readonly acr: string;
}

export const byPassword = (time: number): Authentication => ({ time, amr: ['pwd'], acr: '1' });

/** Null where nobody signed in, and for sessions of earlier versions. */
export const authenticationOf = ({
  auth_time: time,
  amr,
  acr,
}: Pick<SessionRow, 'auth_time' | 'amr' | 'acr'>): Authentication | null =>
  time === null ? null : { time, amr: JSON.parse(amr ?? '[]') as string[], acr: acr ?? '0' };
