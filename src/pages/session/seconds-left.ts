import { parseJson } from '../../platform/json-text.ts';

/** The remaining lifetime of a token of ours. The token must already be verified. */
export function secondsLeft(token: string, now: number): number {
  const claims = parseJson<{ exp: number }>(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return Math.max(1, Math.floor(claims.exp - now / 1000));
}
