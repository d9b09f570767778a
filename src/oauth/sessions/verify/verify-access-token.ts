import type { Config } from '../../../config/config.ts';
import type { Context } from '../../../database/context.ts';
import type { KeyRing } from '../../../database/keys/key-ring.ts';
import { unauthorized } from '../../../http/gate/unauthorized.ts';
import type { Caller } from '../../../platform/caller.ts';
import { parseJson } from '../../../platform/json-text.ts';
import type { Proof } from '../../../platform/proof.ts';
import { limitByRoles } from '../../clients/client-rules.ts';
import { effectiveRoles, narrowScopes } from '../../clients/scopes/scopes.ts';
import { readPersonalToken } from '../personal-tokens/personal-tokens.ts';
import { readDetails } from '../store/grant-details.ts';
import { setUsedGeneration } from '../store/rotation-store.ts';
import {
  authenticationOf,
  findSessionWithSubject,
  type SessionRow,
  type SessionWithSubject,
  sessionEnd,
  subjectsExist,
} from '../store/session-store.ts';
import { type AccessTokenClaims, type LegacyTokens, noClient, readAccessToken } from '../tokens/access-token.ts';
import { isNewestGenerationUsed } from '../tokens/refresh-token.ts';
import type { VerifiedToken } from './token-cache.ts';

/** The path of the API under the service's address. Other resources of this service have other paths. */
export const apiPath = '/v1';

/**
 * The paths of this service in a token's audience. An empty path is the service itself, for tokens without a named resource
 * and for tokens of an imported service.
 */
function ownPathsOf(claims: Pick<AccessTokenClaims, 'iss' | 'aud'> | undefined): readonly string[] {
  if (!claims || claims.aud === claims.iss) return wholeService;
  const { iss, aud } = claims;
  return [aud].flat().flatMap((uri) => (uri.startsWith(iss) ? [uri.slice(iss.length)] : []));
}

const wholeService: readonly string[] = [''];

/** A token for the service itself is valid for the API, but not for other resources. */
export const isForPath = (paths: readonly string[], path: string): boolean =>
  paths.includes(path) || (path === apiPath && paths.includes(''));

/** Verifies a token without a cache: its signature, its claims, then its session, user and client. */
export async function verifyAccessToken(
  context: Context,
  keys: KeyRing,
  legacyTokens: LegacyTokens,
  { token, path }: { token: string; path: string },
): Promise<VerifiedToken & { readonly cacheable: boolean }> {
  const ownClaims = await readOwnToken(context, keys, token);
  const claims = ownClaims ?? (await legacyTokens.readAccess(token));
  if (!claims) throw unauthorized('token_malformed');
  if (claims === 'revoked') throw unauthorized('token_revoked');
  if (claims.exp * 1000 <= context.now()) throw unauthorized('token_expired');
  if (!isForPath(ownPathsOf(ownClaims), path)) throw wrongAudience();
  const { verified, session } = await verifySession(context, claims, ownClaims);
  await markGenerationUsed(context, claims, session);
  // Invalidations do not cover all reasons that can end a token of an imported service.
  return { ...verified, cacheable: ownClaims !== undefined };
}

/** Verifies the session, user and client of a token with these claims. `ownClaims`: the same claims, if this service issued the token. */
export async function verifySession(
  context: Context,
  claims: AccessTokenClaims,
  ownClaims: AccessTokenClaims | undefined,
) {
  const session = await findSessionWithSubject(context.database, claims.sid);
  if (!session) throw await missingSessionError(context, claims);
  if (session.disabled) throw unauthorized('user_gone', 'disabled user');
  if (session.revoked_at !== null || isOfOtherRealm(session)) throw unauthorized('token_revoked');
  const expiresAt = Math.min(claims.exp * 1000, sessionEnd(session, context.config));
  if (expiresAt <= context.now()) throw unauthorized('token_expired');
  const caller = callerOf(context.config, claims, session);
  const verified = { caller, sessionId: claims.sid, expiresAt, paths: ownPathsOf(ownClaims), jkt: claims.cnf?.jkt };
  return { session, verified };
}

/** The client is limited to other users: an import set its realm after the login. */
const isOfOtherRealm = ({ user_id, realm, client_realm }: SessionWithSubject): boolean =>
  user_id !== null && client_realm !== null && client_realm !== realm;

/** RFC 8707: a token works only at the resources in its audience. */
export const wrongAudience = () => unauthorized('token_malformed', 'for another audience');

function callerOf(config: Config, { sid, scope, act }: AccessTokenClaims, session: SessionWithSubject): Caller {
  const granted = scope.split(' ').filter(Boolean);
  // The actor of an exchanged token (RFC 8693) is an application, whatever the user signed in to.
  const application = session.user_id !== null && (session.client_type === 'application' || act !== undefined);
  const roles = parseJson(session.roles ?? '[]');
  const clientScopes = session.client_scopes ? narrowScopes(granted, parseJson(session.client_scopes)) : granted;
  const { setUpOnly } = readDetails(session.details);
  const scopes = session.roles === null || setUpOnly ? clientScopes : limitByRoles(config, roles, clientScopes);
  return Object.freeze({
    kind: session.user_id ? 'user' : 'client',
    userId: session.user_id ?? session.owner_id,
    clientId: session.client_id,
    sessionId: sid,
    // A client acts for its owner, but never with the owner's roles.
    roles: session.user_id ? effectiveRoles({ application, scopes, setUpOnly }, roles) : [],
    scopes,
    ...(setUpOnly ? { setUpOnly } : {}),
    application,
    proof: proofOf(config, session),
  });
}

/** A personal access token and a client's own token do not prove the identity of their holder. */
function proofOf({ freshProof: freshSeconds }: Config, session: SessionWithSubject): Proof {
  const renewable = session.type === 'session' && session.user_id !== null;
  const { time = null, amr = [], acr = null } = (renewable && authenticationOf(session)) || {};
  return Object.freeze({ time, amr, acr, freshSeconds, renewable });
}

/** The reason why a session is gone: its user or client was deleted, or it was pruned. */
async function missingSessionError({ database }: Context, { sub, client_id }: AccessTokenClaims): Promise<Error> {
  const exists = await subjectsExist(database.db, sub, client_id);
  if (sub !== client_id && !exists.user) return unauthorized('user_gone');
  if (client_id !== noClient && !exists.client) return unauthorized('client_revoked');
  return unauthorized('token_revoked');
}

/** The claims of a token of this service: from a signed token, or from the session of a personal access token. */
export const readOwnToken = (context: Context, keys: KeyRing, token: string): Promise<AccessTokenClaims | undefined> =>
  token.startsWith('gh_') ? readPersonalToken(context, token) : readAccessToken(keys, token);

/** Marks the newest access token as used, before it takes effect. A later use of an older token then means theft. */
export async function markGenerationUsed(
  { database, now }: Context,
  claims: AccessTokenClaims,
  session: Pick<SessionRow, 'generation' | 'used_generation'>,
): Promise<void> {
  if (session.generation === 0 || isNewestGenerationUsed(session) || claims.gen !== session.generation) return;
  await setUsedGeneration(database, { id: claims.sid, generation: session.generation, now: now() });
}
