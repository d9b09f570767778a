import type { Context } from '../../../database/context.ts';
import type { KeyRing } from '../../../database/keys/key-ring.ts';
import { isDpop } from '../../../http/gate/authenticate.ts';
import { unauthorized } from '../../../http/gate/unauthorized.ts';
import type { Caller } from '../../../platform/caller.ts';
import { Problem } from '../../../platform/errors.ts';
import { findSessionOfEnabledUser, type SessionRow, sessionEnd } from '../store/session-store.ts';
import { type AccessTokenClaims, type LegacyTokens, signInternalToken } from '../tokens/access-token.ts';
import { readRefreshToken } from '../tokens/refresh-token.ts';
import { LastUses, type Sender } from './last-uses.ts';
import { TokenCache, type VerifiedToken } from './token-cache.ts';
import {
  apiPath,
  isForPath,
  markGenerationUsed,
  readOwnToken,
  verifyAccessToken,
  verifySession,
  wrongAudience,
} from './verify-access-token.ts';

export type FoundToken =
  | { readonly kind: 'access'; readonly session: SessionRow; readonly claims: AccessTokenClaims }
  | { readonly kind: 'refresh'; readonly session: SessionRow; readonly generation: number };

/** Throws unless the sender proves possession of the key that the token is bound to. */
export type ProvePossession = (sender: Sender, token: string, jkt: string) => Promise<void>;

/** RFC 9449 7.1: the scheme DPoP requires a key-bound token. */
function rejectDpopScheme(sender: Sender | null): void {
  const authorization = sender?.headers?.authorization;
  if (authorization !== undefined && !authorization.startsWith('Bearer ') && isDpop(authorization)) {
    throw unauthorized('token_malformed', 'an unbound token with the scheme DPoP');
  }
}

function unlessUnauthorized(error: unknown): undefined {
  if (!(error instanceof Problem && error.status === 401)) throw error;
}

const hit = { result: 'hit' };
const miss = { result: 'miss' };

/** Finds the caller of a token. Caches verified tokens. */
export class TokenVerifier {
  readonly #context: Context;
  readonly #keys: KeyRing;
  readonly #legacyTokens: LegacyTokens;
  readonly #cache = new TokenCache();
  readonly #lastUses: LastUses;
  readonly #provePossession: ProvePossession;
  readonly #provenTokens = new WeakMap<Sender, string>();

  constructor(context: Context, keys: KeyRing, legacyTokens: LegacyTokens, provePossession: ProvePossession) {
    this.#context = context;
    this.#keys = keys;
    this.#provePossession = provePossession;
    this.#legacyTokens = legacyTokens;
    this.#lastUses = new LastUses(context);
    context.database.bus.subscribe((invalidation) => this.#cache.invalidate(invalidation));
    keys.onChange(() => this.#cache.invalidate({ kind: 'everything', id: '' }));
  }

  /** The caller of an access token at this resource. A cached token needs no query. Throws a 401 error with the reason. */
  verify(token: string, sender: Sender | null, path = apiPath): Caller | Promise<Caller> {
    // Call this first: it may find a change by another process, and clear the cache.
    const isCacheUsable = this.#context.database.bus.isCacheUsable();
    const cached = isCacheUsable ? this.#cache.get(token) : undefined;
    if (!cached) return this.#verifyUncached(token, sender, { isCacheUsable, path });
    if (!isForPath(cached.paths, path)) throw wrongAudience();
    const now = this.#context.now();
    if (now >= cached.expiresAt) {
      this.#cache.delete(token);
      throw unauthorized('token_expired');
    }
    if (cached.jkt !== undefined) return this.#requirePossession(token, cached, sender);
    rejectDpopScheme(sender);
    this.#context.metrics.tokenLookups.inc(hit);
    this.#lastUses.record(cached.sessionId, now, sender);
    return cached.caller;
  }

  /** Reads the caller of this access token, and the end of the token, from the database. */
  async verifyWithExpiry(token: string): Promise<{ readonly caller: Caller; readonly expiresAt: number }> {
    return verifyAccessToken(this.#context, this.#keys, this.#legacyTokens, { token, path: apiPath });
  }

  async #verifyUncached(
    token: string,
    sender: Sender | null,
    { isCacheUsable, path }: { isCacheUsable: boolean; path: string },
  ) {
    this.#context.metrics.tokenLookups.inc(miss);
    // Read now: the address is no longer available after the caller has disconnected.
    const senderAddress = sender && { ip: sender.ip };
    const { epoch } = this.#cache;
    const { cacheable, ...verified } = await verifyAccessToken(this.#context, this.#keys, this.#legacyTokens, {
      token,
      path,
    });
    if (isCacheUsable && cacheable) this.#cache.set(token, verified, epoch);
    if (verified.jkt !== undefined) return this.#requirePossession(token, verified, sender);
    rejectDpopScheme(sender);
    this.#lastUses.record(verified.sessionId, this.#context.now(), senderAddress);
    return verified.caller;
  }

  /** A request is checked more than once, but a proof works only once. So a verified proof is not checked again. */
  async #requirePossession(token: string, { jkt, caller, sessionId }: VerifiedToken, sender: Sender | null) {
    if (!sender || jkt === undefined) throw unauthorized('token_malformed', 'a bound token without a request');
    if (this.#provenTokens.get(sender) !== token) {
      await this.#provePossession(sender, token, jkt);
      this.#provenTokens.set(sender, token);
    }
    this.#lastUses.record(sessionId, this.#context.now(), { ip: sender.ip });
    return caller;
  }

  /** The live session of an access token or a refresh token, for revocation and introspection. */
  async findToken(token: string): Promise<FoundToken | undefined> {
    const { config, database, now } = this.#context;
    const refresh = readRefreshToken(this.#keys, token) ?? (await this.#legacyTokens.readRefresh(token, null));
    const access = refresh ? undefined : await this.#claims(token);
    const sessionId = refresh?.sessionId ?? access?.sid;
    if (!sessionId) return undefined;
    const session = await findSessionOfEnabledUser(database, sessionId);
    if (!session || session.revoked_at !== null) return undefined;
    session.expires_at = sessionEnd(session, config);
    if (session.expires_at <= now()) return undefined;
    if (access) return access.exp * 1000 > now() ? { kind: 'access', session, claims: access } : undefined;
    return refresh && session.type === 'session'
      ? { kind: 'refresh', session, generation: refresh.generation }
      : undefined;
  }

  /**
   * The claims and the caller of a valid access token, for the callers that `isVisible` accepts. A resource server relies on
   * them, so the token counts as used. A cached token needs no query.
   */
  async introspect(
    token: string,
    isVisible: (caller: Caller) => boolean,
  ): Promise<{ readonly claims: AccessTokenClaims; readonly caller: Caller } | undefined> {
    if (readRefreshToken(this.#keys, token)) return undefined;
    const { epoch } = this.#cache;
    const ownClaims = await this.#ownClaims(token);
    const claims = ownClaims ?? (await this.#legacyClaims(token));
    if (!claims || claims.exp * 1000 <= this.#context.now()) return undefined;
    const isCacheUsable = ownClaims !== undefined && this.#context.database.bus.isCacheUsable();
    const cached = isCacheUsable ? this.#cache.get(token) : undefined;
    if (cached && cached.expiresAt > this.#context.now()) {
      return isVisible(cached.caller) ? { claims, caller: cached.caller } : undefined;
    }
    const checked = await verifySession(this.#context, claims, ownClaims).catch(unlessUnauthorized);
    if (!checked || !isVisible(checked.verified.caller)) return undefined;
    await markGenerationUsed(this.#context, claims, checked.session);
    if (isCacheUsable) this.#cache.set(token, checked.verified, epoch);
    return { claims, caller: checked.verified.caller };
  }

  /** An access token of the previous generation, for work that is done before the response with `token` is sent. It does not count as a use of `token`. */
  async internalToken(token: string): Promise<string | undefined> {
    const claims = await this.#claims(token);
    return claims && signInternalToken(this.#keys, { ...claims, gen: claims.gen - 1 }, this.#context.now());
  }

  /** An API token of the same session, for another resource of this service. It must never leave the process. */
  async tokenForApi(token: string): Promise<string | undefined> {
    const claims = await this.#claims(token);
    return claims && signInternalToken(this.#keys, { ...claims, aud: claims.iss + apiPath }, this.#context.now());
  }

  async #claims(token: string): Promise<AccessTokenClaims | undefined> {
    return (await this.#ownClaims(token)) ?? this.#legacyClaims(token);
  }

  /** Cached: verifying a signature takes longer than signing, and the result changes only with the keys. */
  async #ownClaims(token: string): Promise<AccessTokenClaims | undefined> {
    const isCacheUsable = this.#context.database.bus.isCacheUsable();
    const cached = isCacheUsable ? this.#cache.claimsOf(token) : undefined;
    if (cached) return cached;
    const { epoch } = this.#cache;
    const claims = await readOwnToken(this.#context, this.#keys, token);
    if (claims && isCacheUsable) this.#cache.setClaims(token, claims, epoch);
    return claims;
  }

  async #legacyClaims(token: string): Promise<AccessTokenClaims | undefined> {
    const claims = await this.#legacyTokens.readAccess(token);
    return claims === 'revoked' ? undefined : claims;
  }

  /** Writes the collected last uses. */
  flush(): Promise<void> {
    return this.#lastUses.flush();
  }
}
