import { parseJson } from '../../../platform/json-text.ts';
import { type Acr, acrLevels, acrOf } from '../../../platform/proof.ts';
import type { SessionRow } from './session-store.ts';

/** How somebody proved who they are. It goes on with whatever is opened on the strength of it. */
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

/** Null where nobody signed in. */
export const authenticationOf = ({
  auth_time: time,
  amr,
  acr,
}: Pick<SessionRow, 'auth_time' | 'amr' | 'acr'>): Authentication | null =>
  time === null
    ? null
    : { time, amr: parseJson(amr ?? '[]'), acr: acrLevels.find((level) => level === acr) ?? acrLevels[0] };
