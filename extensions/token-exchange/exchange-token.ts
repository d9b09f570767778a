import { requireRealm } from '../../src/oauth/clients/client-rules.ts';
import {
  everyScope,
  exchangeScope,
  explicitScopes,
  identityScopes,
  narrowScopes,
  parseScope,
} from '../../src/oauth/clients/scopes/scopes.ts';
import type { GrantRequest, GrantResult, OAuth } from '../../src/oauth/oauth.ts';
import { invalidRequest, required, resourcesIn } from '../../src/oauth/parameters.ts';
import { dpopProofRequired } from '../../src/oauth/proofs/dpop.ts';
import type { Actor } from '../../src/oauth/sessions/tokens/access-token.ts';
import { OAuthError } from '../../src/platform/errors.ts';

const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
/** The longest lifetime of an exchanged token, in seconds: enough for a chain of calls. */
const maxLifetimeSeconds = 300;
/** Longer chains are a mistake. */
const maxActorChain = 8;

const depthOf = (actor: Actor | undefined): number => (actor ? 1 + depthOf(actor.act) : 0);

/**
 * RFC 8693: issues a user's token for the next service, with fewer scopes and a shorter lifetime. The new token belongs
 * to the same session and ends with it. `act` names the client that exchanged it. A client exchanges its own tokens. A
 * resource server with the scope `tokens:exchange` exchanges the tokens that it receives.
 */
export async function exchangeToken(
  { context, clients, verifier, audiences, scopes: knownScopes }: OAuth,
  { client, parameters, jkt }: GrantRequest,
): Promise<GrantResult> {
  if (required(parameters, 'subject_token_type') !== accessTokenType) {
    throw invalidRequest(`subject_token_type takes ${accessTokenType}.`);
  }
  const requestedType = parameters.get('requested_token_type') ?? accessTokenType;
  if (requestedType !== accessTokenType) throw invalidRequest(`requested_token_type takes ${accessTokenType}.`);
  if (parameters.has('actor_token')) throw invalidRequest('actor_token is not supported: the client is the actor.');
  const subjectToken = await verifier.findToken(required(parameters, 'subject_token'));
  if (subjectToken?.kind !== 'access' || subjectToken.session.user_id === null)
    throw invalidSubject('no live token of a user');
  const { claims, session } = subjectToken;
  if (claims.client_id !== client.id && !client.scopes.includes(exchangeScope)) throw invalidSubject('of another');
  // A key-bound token must not become a bearer token. The new token is bound to the key of this client.
  if (claims.cnf && jkt === undefined) {
    throw dpopProofRequired('The subject_token is bound to a key: send a DPoP proof with your own key.');
  }
  await requireRealm(context.database.db, client, session.user_id);
  const act = { sub: client.id, ...(claims.act ? { act: claims.act } : {}) };
  if (depthOf(act) > maxActorChain) throw invalidRequest('The token was exchanged too many times.');
  // The client of the session may have lost scopes since the token was issued.
  const sessionClient = session.client_id === null ? undefined : await clients.find(session.client_id);
  if (session.client_id !== null && !sessionClient) throw invalidSubject('its client cannot be used');
  const grantedScopes = claims.scope.split(' ').filter((scope) => !identityScopes.includes(scope));
  const tokenScopes = sessionClient ? narrowScopes(grantedScopes, sessionClient.scopes) : grantedScopes;
  const requested = parseScope(parameters.get('scope') ?? '');
  const isIncludedInEveryScope = (scope: string) =>
    tokenScopes.includes(everyScope) && knownScopes.has(scope) && !explicitScopes.includes(scope);
  const missingScope = requested.find((scope) => !tokenScopes.includes(scope) && !isIncludedInEveryScope(scope));
  if (missingScope !== undefined)
    throw new OAuthError('invalid_scope', `The token does not have the scope '${missingScope}'.`);
  const audience = parameters.get('audience');
  const targets = [...resourcesIn(parameters), ...(audience === undefined ? [] : [audience])];
  const exp = Math.min(claims.exp, Math.floor(context.now() / 1000) + maxLifetimeSeconds);
  return {
    session,
    durable: Promise.resolve(),
    scopes: requested.length > 0 ? requested : tokenScopes,
    exchanged: {
      audience: audiences.exchange([claims.aud].flat(), targets),
      // The generation of the subject token: its use is not a use of the newest token.
      claims: { act, exp, client_id: client.id, gen: claims.gen, cnf: undefined },
      expiresIn: exp - Math.floor(context.now() / 1000),
      type: accessTokenType,
    },
  };
}

const invalidSubject = (reason: string) =>
  new OAuthError('invalid_request', 'subject_token is not valid for this client.', { reason });
