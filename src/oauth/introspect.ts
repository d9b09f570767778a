import { parseJson } from '../platform/json-text.ts';
import { authenticateClient, type ClientRequest } from './client-authentication.ts';
import { unknownClient } from './clients/client-errors.ts';
import type { StoredClient } from './clients/client-store.ts';
import { isForUser } from './clients/require-realm.ts';
import { limitByRolesOf } from './clients/role-scopes.ts';
import { introspectScope, narrowScopes } from './clients/scopes/scopes.ts';
import type { OAuth } from './oauth.ts';
import { readParameters, required } from './parameters.ts';
import { noClient, proofClaims } from './sessions/tokens/access-token.ts';
import { isWithinGrace } from './sessions/tokens/refresh-token.ts';
import type { FoundToken } from './sessions/verify/token-verifier.ts';

interface Introspection {
  readonly active: boolean;
  readonly [claim: string]: unknown;
}

const inactive: Introspection = { active: false };

/** RFC 7662, for the client of the token, and for clients with `tokens:introspect`. Other clients get `active: false`. */
export async function handleIntrospection(oauth: OAuth, request: ClientRequest): Promise<Introspection> {
  const { clients, verifier } = oauth;
  const parameters = readParameters(request.body);
  const client = await authenticateClient(oauth, request, parameters);
  // RFC 7662 2.1: the caller must be authenticated.
  if (client.public) throw unknownClient('a public client asked about a token');
  const found = await verifier.find(required(parameters, 'token'));
  if (!found || !mayIntrospect(client, found)) return inactive;
  const tokensClient = found.session.client_id ? await clients.find(found.session.client_id) : undefined;
  if (found.session.client_id && !tokensClient) return inactive;
  if (tokensClient && !(await isForUser(oauth.context.database.db, tokensClient, found.session.user_id)))
    return inactive;
  const granted = found.kind === 'refresh' ? parseJson(found.session.scopes) : found.claims.scope.split(' ');
  const allowed = tokensClient ? narrowScopes(granted, tokensClient.scopes) : granted;
  const userId = found.session.user_id ?? tokensClient?.userId ?? null;
  const scope = (await limitByRolesOf(oauth.context, userId, allowed)).join(' ');
  if (found.kind === 'refresh') return describeRefresh(oauth, found, scope);
  await verifier.noteIntrospection(found);
  return describeAccess(found, scope);
}

/** Only its own client can inspect a refresh token. A resource server would mistake an active refresh token for an access token. */
const mayIntrospect = (client: StoredClient, { kind, session }: FoundToken): boolean =>
  session.client_id === client.id || (kind === 'access' && client.scopes.includes(introspectScope));

/** Shows the current proof of the session (RFC 9470 6.2), which may be newer than the token. */
function describeAccess({ claims, session }: FoundToken & { kind: 'access' }, scope: string): Introspection {
  const token_type = claims.cnf ? 'DPoP' : 'Bearer';
  return { active: true, token_type, ...claims, ...proofClaims(session), scope };
}

/** Active: the current generation, and its predecessor while a retry still gets the same successor. */
function describeRefresh(
  { context: { config, now } }: OAuth,
  { session, generation }: FoundToken & { kind: 'refresh' },
  scope: string,
): Introspection {
  if (generation !== session.generation && !isWithinGrace(session, generation, config, now())) return inactive;
  return {
    active: true,
    token_type: 'refresh_token',
    iss: config.baseUrl,
    aud: session.resource === null ? config.baseUrl : parseJson(session.resource),
    sub: session.user_id ?? session.client_id,
    client_id: session.client_id ?? noClient,
    scope,
    iat: Math.floor((session.rotated_at ?? session.created_at) / 1000),
    exp: Math.floor(session.expires_at / 1000),
    sid: session.id,
  };
}
