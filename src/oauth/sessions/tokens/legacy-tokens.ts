import type { AccessTokenClaims } from './access-token.ts';

/** Tokens that another service gave out, for sessions that were taken over from it. Asked only where a token is none of ours. */
export interface LegacyTokens {
  /** Its claims in our words, expired or not; `revoked` where it was one and counts no more. */
  readAccess(token: string): Promise<AccessTokenClaims | 'revoked' | undefined>;
  /** A refresh token of theirs stands for the generation before our first. */
  readRefresh(
    token: string,
    address: string | null,
  ): Promise<{ readonly sessionId: string; readonly generation: number } | undefined>;
  /** Maps each scope of the old service to scopes of this service. */
  readScopes(): Promise<ReadonlyMap<string, readonly string[]>>;
}
