import { parseJson } from '../../../platform/json-text.ts';
import { type Acr, acrLevels, acrOf } from '../../../platform/proof.ts';
import type { SessionRow } from './session-store.ts';

/** How a user authenticated. Sessions that are opened from this session inherit it. */
export interface Authentication {
  readonly time: number;
  /** RFC 8176. */
  readonly amr: readonly string[];
  readonly acr: Acr;
}

export const authenticatedBy = (amr: readonly string[], time: number): Authentication => ({
  time,
  amr,
  acr: acrOf(amr),
});

/** Null if no user signed in. */
export const authenticationOf = ({
  auth_time: time,
  amr,
  acr,
}: Pick<SessionRow, 'auth_time' | 'amr' | 'acr'>): Authentication | null =>
  time === null
    ? null
    : { time, amr: parseJson(amr ?? '[]'), acr: acrLevels.find((level) => level === acr) ?? acrLevels[0] };
