import type { Config } from '../../../config/config.ts';
import type { KeyRing } from '../../../database/keys/key-ring.ts';
import { uuidv7 } from '../../../database/uuid.ts';
import { parseJson } from '../../../platform/json-text.ts';
import type { AuthorizationDetail } from '../store/grant-details.ts';
import { authenticationOf, sessionEnd, type TokenSession } from '../store/session-store.ts';

/** RFC 9068 2.1: ID tokens and other JWTs must not be accepted as access tokens. */
export const accessTokenType = 'at+jwt';

/** RFC 9068 requires a client in every token. Personal access tokens have no client. */
export const noClient = 'urn:gatehouse:personal';

/** RFC 8693 4.1. */
export interface Actor {
  readonly sub: string;
  readonly act?: Actor;
}

export interface AccessTokenClaims {
  readonly iss: string;
  /** RFC 9068 3: the issuer itself, unless `resource` named others. */
  readonly aud: string | readonly string[];
  readonly sub: string;
  readonly client_id: string;
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly scope: string;
  readonly sid: string;
  /** The generation of the session. 0: the login. */
  readonly gen: number;
  /** The key whose possession the holder must prove (RFC 7800, RFC 9449 6.1). */
  readonly cnf?: { readonly jkt: string } | undefined;
  readonly act?: Actor;
  /** The authorization details that the user agreed to (RFC 9396 9.1). */
  readonly authorization_details?: readonly AuthorizationDetail[] | undefined;
  readonly auth_time?: number;
  readonly acr?: string;
  readonly amr?: readonly string[];
}

/** The end of a session's next access token: never later than the session. In whole seconds, like `exp`. */
export function accessTokenExpiry(session: TokenSession, config: Config, now: number): number {
  const sessionEnds = Math.floor(sessionEnd(session, config) / 1000);
  if (session.type === 'personal') return sessionEnds;
  return Math.min(Math.floor(now / 1000) + config.accessTokenTtl, sessionEnds);
}

interface TokenGrant {
  readonly now: number;
  readonly scope: string;
  /** The audience of this token, if it is narrower than the audience of the session. */
  readonly audience?: readonly string[] | undefined;
  /** Claims that are added to, or replace, the claims of the session. */
  readonly claims?: TokenClaims | undefined;
}

export type TokenClaims = Partial<
  Pick<AccessTokenClaims, 'cnf' | 'act' | 'authorization_details' | 'exp' | 'client_id' | 'gen'>
>;

/** One audience as text, several as a list (RFC 7519 4.1.3). */
function audOf({ baseUrl }: Config, { resource }: TokenSession, audience: TokenGrant['audience']) {
  const audiences = audience ?? (resource === null ? undefined : parseJson(resource));
  if (audiences === undefined) return baseUrl;
  return audiences.length === 1 ? (audiences[0] as string) : audiences;
}

/** RFC 9068 2.2.1: how the user signed in. Introspection shows later changes from the session. */
function proofClaims(session: TokenSession): Pick<AccessTokenClaims, 'auth_time' | 'acr' | 'amr'> {
  const proof = session.type === 'session' ? authenticationOf(session) : null;
  return proof === null ? {} : { auth_time: Math.floor(proof.time / 1000), acr: proof.acr, amr: proof.amr };
}

export function accessTokenClaims(config: Config, session: TokenSession, { now, scope, audience, claims }: TokenGrant) {
  return {
    iss: config.baseUrl,
    aud: audOf(config, session, audience),
    // RFC 9068 2.2: without a user, the subject is the client.
    sub: (session.user_id ?? session.client_id) as string,
    client_id: session.client_id ?? noClient,
    exp: accessTokenExpiry(session, config, now),
    iat: Math.floor(now / 1000),
    jti: uuidv7(now),
    scope,
    sid: session.id,
    gen: session.generation,
    ...proofClaims(session),
    ...claims,
  } satisfies AccessTokenClaims;
}

const options = { typ: accessTokenType };

/** An access token with these claims that is used inside the process only. */
export const signInternalToken = (keys: KeyRing, claims: AccessTokenClaims, now: number): string =>
  keys.signingKeys.sign({ ...claims, cnf: undefined, jti: uuidv7(now) }, options);

const isAudience = (aud: unknown): boolean => [aud].flat().every((uri) => typeof uri === 'string');

/** The claims of an access token that this service signed, with any audience, expired or not. */
export async function readAccessToken(keys: KeyRing, token: string): Promise<AccessTokenClaims | undefined> {
  await keys.ensureCurrent();
  let claims = keys.signingKeys.verify(token, options);
  if (claims === 'unknown-key') {
    await keys.reloadIfOld();
    claims = keys.signingKeys.verify(token, options);
  }
  if (typeof claims === 'string' || !isAudience(claims.aud)) return undefined;
  if (!keys.isOwnIssuer(claims.iss)) await keys.reloadIfOld();
  if (!keys.isOwnIssuer(claims.iss)) return undefined;
  return isAccessToken(claims) ? claims : undefined;
}

function isAccessToken(claims: object): claims is AccessTokenClaims {
  const { sub, client_id, exp, iat, jti, scope, sid, gen } = claims as Partial<
    Record<keyof AccessTokenClaims, unknown>
  >;
  const hasTexts = [sub, client_id, jti, scope, sid].every((claim) => typeof claim === 'string');
  return hasTexts && [exp, iat, gen].every((claim) => typeof claim === 'number' && Number.isFinite(claim));
}

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
