import type { Config } from '../config/config.ts';
import { OAuthError } from '../platform/errors.ts';
import { narrowDetails, readAuthorizationDetails } from './authorize/authorization-details.ts';
import { authenticateClient } from './client-authentication.ts';
import {
  invalidClient,
  isGrantForClient,
  isRefreshable,
  mayUseGrant,
  unauthorizedClient,
} from './clients/client-rules.ts';
import { translateScope } from './clients/scopes/requested-scopes.ts';
import { parseScope } from './clients/scopes/scopes.ts';
import { authorizationCodeGrant } from './grants/authorization-code.ts';
import { clientCredentialsGrant } from './grants/client-credentials.ts';
import { deviceCodeGrant } from './grants/device-code.ts';
import { refreshTokenGrant } from './grants/refresh-token.ts';
import { emailCodeGrant, mfaGrant, passkeyGrant, passwordGrant } from './grants/sign-in.ts';
import { tokenExchangeGrant } from './grants/token-exchange.ts';
import type { ClientRequest, Grant, GrantRequest, GrantResult, OAuth } from './oauth.ts';
import { idToken } from './openid/id-token.ts';
import { readParameters, required, resourcesIn } from './parameters.ts';
import { dpopProofRequired } from './proofs/dpop.ts';
import type { TokenResponse } from './schemas.ts';
import { limitByRolesOfSession, scopesOfSession } from './sessions/sessions.ts';
import { readDetails } from './sessions/store/grant-details.ts';

/** A Map, so that `grant_type=toString` finds nothing. */
const grants: ReadonlyMap<string, Grant> = new Map(
  [
    authorizationCodeGrant,
    passwordGrant,
    mfaGrant,
    passkeyGrant,
    emailCodeGrant,
    clientCredentialsGrant,
    refreshTokenGrant,
    deviceCodeGrant,
    tokenExchangeGrant,
  ].map((grant) => [grant.type, grant]),
);

export const enabledGrants = (config: Config): string[] =>
  [...grants.values()].filter((grant) => grant.isEnabled?.(config) ?? true).map(({ type }) => type);

/** Only the authorization endpoint grants authorization details. */
const grantsWithDetails = [authorizationCodeGrant.type, refreshTokenGrant.type];

/** Tokens, and values for cookies: the lifetime of the refresh token in seconds, and the cookie for known browsers. */
export interface IssuedTokens {
  readonly response: TokenResponse;
  readonly refreshTokenTtl: number;
  readonly browserCookie?: string | undefined;
}

/** RFC 6749 3.2. */
export async function handleTokenRequest(oauth: OAuth, request: ClientRequest): Promise<IssuedTokens> {
  const parameters = readParameters(request.body);
  const grant = grants.get(required(parameters, 'grant_type'));
  if (!grant) {
    const types = enabledGrants(oauth.context.config).join(', ');
    throw new OAuthError('unsupported_grant_type', `grant_type must be one of ${types}.`);
  }
  await oauth.keys.ensureCurrent();
  const { epoch } = oauth.keys;
  const client = await authenticateClient(oauth, request, parameters);
  const countRequest = client.public ? request.countRequest : undefined;
  const jkt = request.dpopRequest && (await oauth.dpop.atTokenEndpoint(request.dpopRequest, client));
  const issued = await issueTokens(oauth, grant, { client, parameters, source: request.source, countRequest, jkt });
  // Compromised keys were replaced in the meantime: the client's authentication is void.
  if (oauth.keys.epoch !== epoch) throw invalidClient('the keys were replaced');
  return issued;
}

/** Runs a grant for an authenticated client and issues its tokens. The token endpoint and the proxies use it. */
export async function issueTokens(oauth: OAuth, grant: Grant, originalRequest: GrantRequest): Promise<IssuedTokens> {
  const { sessions, context, audiences, registeredClients } = oauth;
  const { client, parameters } = originalRequest;
  if (!isGrantForClient(client, grant) || !mayUseGrant(client, grant.type)) throw unauthorizedClient(client);
  // Read first: an invalid parameter must not use up a code or token.
  const requestedAudiences = audiences.read(resourcesIn(parameters));
  const requestedDetails = readAuthorizationDetails(context.config, parameters.get('authorization_details'));
  if (originalRequest.jkt === undefined && (client.dpop_bound_access_tokens || client.fapi)) {
    throw dpopProofRequired('The tokens of this client are bound to a key: send a DPoP proof (RFC 9449).');
  }
  if (!grantsWithDetails.includes(grant.type)) narrowDetails(undefined, requestedDetails);
  const request = { ...(await translateLegacyScopes(oauth, originalRequest)), requestedDetails };
  const granted = await grant.issue(oauth, request);
  const { session, durable, browserCookie, exchanged } = granted;
  const details = readDetails(session.details);
  const scopes = await limitByRolesOfSession(context, session, client, granted.scopes);
  const audience = exchanged ? exchanged.audience : audiences.narrow(session.resource, requestedAudiences);
  const cnf = request.jkt === undefined ? undefined : { jkt: request.jkt };
  // An exchanged token has no authorization details: they were granted to the application that the user saw.
  const grantedDetails = exchanged ? undefined : details.authorizationDetails;
  const authorization_details = narrowDetails(grantedDetails, requestedDetails);
  const claims =
    exchanged || cnf || authorization_details ? { ...exchanged?.claims, cnf, authorization_details } : undefined;
  // A worker thread signs while the session is written. No token leaves the service before the session is on disk.
  const accessToken = await sessions.signAccessToken(session, scopes, audience, claims);
  const id_token = exchanged
    ? undefined
    : await idToken(oauth, { client, session, scopes, accessToken, nonce: granted.nonce });
  await Promise.all([durable, registeredClients.recordUse(client)]);
  context.metrics.tokensIssued.inc({ grant: grant.type });
  return {
    response: {
      token_type: cnf ? 'DPoP' : 'Bearer',
      expires_in: exchanged?.expiresIn ?? sessions.accessTokenTtl(session),
      access_token: accessToken,
      ...(!exchanged && isRefreshable(client, scopesOfSession(session))
        ? { refresh_token: sessions.makeRefreshToken(session) }
        : {}),
      ...(id_token === undefined ? {} : { id_token }),
      ...(exchanged ? { issued_token_type: exchanged.type } : {}),
      ...(authorization_details ? { authorization_details: [...authorization_details] } : {}),
      ...scopeIfChanged({ ...granted, scopes }, parameters.get('scope') ?? ''),
    },
    refreshTokenTtl: Math.ceil((session.expires_at - context.now()) / 1000),
    browserCookie,
  };
}

async function translateLegacyScopes(oauth: OAuth, request: GrantRequest): Promise<GrantRequest> {
  const requested = request.parameters.get('scope');
  const scope = requested === undefined ? undefined : await translateScope(oauth, requested);
  return scope === undefined || scope === requested
    ? request
    : { ...request, parameters: new Map(request.parameters).set('scope', scope) };
}

/** RFC 6749 5.1: the response names the scope if it differs from the requested scope or, at a refresh, from the scope of the session. */
function scopeIfChanged({ session, scopes, requestedScopes }: GrantResult, requested: string): { scope?: string } {
  const expected = requestedScopes ?? (requested === '' ? scopesOfSession(session) : parseScope(requested));
  const isUnchanged = expected.length === scopes.length && expected.every((scope) => scopes.includes(scope));
  return isUnchanged ? {} : { scope: scopes.join(' ') };
}
