import { requireConfirmedEmail } from '../../identity/credentials/require-confirmed-email.ts';
import { OAuthError } from '../../platform/errors.ts';
import { type JsonText, parseJson } from '../../platform/json-text.ts';
import { narrowDetails } from '../authorize/authorization-details.ts';
import { requireRealm } from '../clients/client-rules.ts';
import { grantScopes, identityScopes, type KnownScopes, narrowScopes } from '../clients/scopes/scopes.ts';
import type { Grant } from '../oauth.ts';
import { required, resourcesIn } from '../parameters.ts';
import { refreshSession } from '../sessions/refresh-session.ts';
import { readDetails } from '../sessions/store/grant-details.ts';
import { readRefreshToken } from '../sessions/tokens/refresh-token.ts';

/** RFC 6749 6: issues new tokens for the same session. The request may narrow the scope of the access token, never widen it. */
export const refreshTokenGrant: Grant = {
  type: 'refresh_token',
  clientTypes: ['password', 'personal', 'application'],
  async issue(
    { context, keys, sessions, verifier, audiences, scopes: knownScopes },
    { client, parameters, source, countRequest, jkt, requestedDetails },
  ) {
    const refreshToken = required(parameters, 'refresh_token');
    const presented = countRequest && readRefreshToken(keys, refreshToken);
    if (presented) countRequest(presented.sessionId);
    const requested = parameters.get('scope') ?? '';
    const allowed = (session: { scopes: JsonText<string[]> }) => narrowScopes(parseJson(session.scopes), client.scopes);
    const resources = resourcesIn(parameters);
    const { config, database } = context;
    const isNarrowed = requested !== '' || resources.length > 0 || requestedDetails !== undefined;
    if (isNarrowed || config.requireEmailConfirmation || client.realm !== null || client.public) {
      // Checked first: an error in the scope, the audience, the details or the user must not use up the refresh token.
      const session = (await verifier.findToken(refreshToken))?.session;
      if (session?.client_id === client.id) {
        await requireConfirmedEmail(config, database.db, session.user_id ?? client.userId);
        refreshedScopes(knownScopes, requested, allowed(session));
        audiences.narrow(session.resource, resources);
        narrowDetails(readDetails(session.details).authorizationDetails, requestedDetails);
      }
      await requireRealm(database.db, client, session?.user_id ?? null);
      // RFC 9449 5: the refresh token of a public client is bound to the client's key.
      const { jkt: boundJkt } = client.public ? readDetails(session?.details ?? null) : {};
      if (boundJkt !== undefined && boundJkt !== jkt) {
        throw new OAuthError('invalid_grant', 'The refresh token is bound to another key.');
      }
    }
    const { id: clientId, secretId } = client;
    const rotated = await refreshSession(sessions, { refreshToken, clientId, secretId, source });
    return { ...rotated, scopes: refreshedScopes(knownScopes, requested, allowed(rotated.session)) };
  },
};

/** RFC 6749 6: at most the granted scopes. No other scope implies `openid` or `offline_access`. */
function refreshedScopes(knownScopes: KnownScopes, requested: string, granted: readonly string[]): readonly string[] {
  const scopes = grantScopes(knownScopes, requested, granted);
  const extra = scopes.find((scope) => identityScopes.includes(scope) && !granted.includes(scope));
  if (extra !== undefined) throw new OAuthError('invalid_scope', `The scope '${extra}' was not granted originally.`);
  return scopes;
}
