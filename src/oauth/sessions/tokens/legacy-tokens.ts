import type { AccessTokenClaims } from './access-token.ts';

/** Tokens of another service, for sessions that were imported from it. Called only for tokens that this service did not issue. */
export interface LegacyTokens {
  /** Its claims in our format, expired or not. `revoked` if the token was revoked. */
  readAccess(token: string): Promise<AccessTokenClaims | 'revoked' | undefined>;
  /** A refresh token of the old service stands for the generation before our first. */
  readRefresh(
    token: string,
    address: string | null,
  ): Promise<{ readonly sessionId: string; readonly generation: number } | undefined>;
  /** Maps each scope of the old service to scopes of this service. */
  readScopes(): Promise<ReadonlyMap<string, readonly string[]>>;
}
