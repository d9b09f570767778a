import type { Caller } from '../platform/caller.ts';
import { parseJson } from '../platform/json-text.ts';
import type { Proof } from '../platform/proof.ts';
import { authenticateClient } from './client-authentication.ts';
import { invalidClient, isInRealmOfClient } from './clients/client-rules.ts';
import type { StoredClient } from './clients/client-store.ts';
import { introspectScope, narrowScopes } from './clients/scopes/scopes.ts';
import type { ClientRequest, OAuth } from './oauth.ts';
import { readParameters, required } from './parameters.ts';
import { limitByRolesOfSession } from './sessions/sessions.ts';
import { type AccessTokenClaims, noClient } from './sessions/tokens/access-token.ts';
import { isWithinGrace } from './sessions/tokens/refresh-token.ts';
import type { FoundToken } from './sessions/verify/token-verifier.ts';

interface Introspection {
  readonly active: boolean;
  readonly [claim: string]: unknown;
}

const inactive: Introspection = { active: false };

/** RFC 7662, for the client of the token, and for clients with `tokens:introspect`. Other clients get `active: false`. */
export async function handleIntrospection(oauth: OAuth, request: ClientRequest): Promise<Introspection> {
  const { verifier } = oauth;
  const parameters = readParameters(request.body);
  const client = await authenticateClient(oauth, request, parameters);
  // RFC 7662 2.1: the caller must be authenticated.
  if (client.public) throw invalidClient('a public client asked about a token');
  const token = required(parameters, 'token');
  const mayIntrospect = ({ clientId }: Caller) => clientId === client.id || client.scopes.includes(introspectScope);
  const access = await verifier.introspect(token, mayIntrospect);
  if (access) return describeAccess(access);
  const refreshToken = await verifier.findToken(token);
  // A resource server would mistake an active refresh token for an access token, so only its own client can inspect it.
  if (refreshToken?.kind !== 'refresh' || refreshToken.session.client_id !== client.id) return inactive;
  return describeRefresh(oauth, client, refreshToken);
}

const claimsOfProof = ({ time, acr, amr }: Proof) => time !== null && { auth_time: Math.floor(time / 1000), acr, amr };

/** Shows the current proof of the session (RFC 9470 6.2), which may be newer than the token. */
function describeAccess({ claims, caller }: { claims: AccessTokenClaims; caller: Caller }): Introspection {
  const { proof, scopes } = caller;
  const token_type = claims.cnf ? 'DPoP' : 'Bearer';
  return { active: true, token_type, ...claims, ...claimsOfProof(proof), scope: scopes.join(' ') };
}

/** Active: a token of the current generation, or of the previous one within the grace period. */
async function describeRefresh(
  { context }: OAuth,
  client: StoredClient,
  { session, generation }: FoundToken & { kind: 'refresh' },
): Promise<Introspection> {
  const { config, database, now } = context;
  if (generation !== session.generation && !isWithinGrace(session, generation, config, now())) return inactive;
  if (!(await isInRealmOfClient(database.db, client, session.user_id))) return inactive;
  const granted = narrowScopes(parseJson(session.scopes), client.scopes);
  const scopes = await limitByRolesOfSession(context, session, client, granted);
  return {
    active: true,
    token_type: 'refresh_token',
    iss: config.baseUrl,
    aud: session.resource === null ? config.baseUrl : parseJson(session.resource),
    sub: session.user_id ?? session.client_id,
    client_id: session.client_id ?? noClient,
    scope: scopes.join(' '),
    iat: Math.floor((session.rotated_at ?? session.created_at) / 1000),
    exp: Math.floor(session.expires_at / 1000),
    sid: session.id,
  };
}
