import { requireConfirmedEmail } from '../../identity/credentials/require-confirmed-email.ts';
import { OAuthError } from '../../platform/errors.ts';
import { type JsonText, parseJson } from '../../platform/json-text.ts';
import { requireRealm } from '../clients/require-realm.ts';
import { grantScopes, identityScopes, type KnownScopes, narrowScopes } from '../clients/scopes/scopes.ts';
import type { Grant } from '../grant.ts';
import { required, resourcesIn } from '../parameters.ts';
import { refreshSession } from '../sessions/refresh-session.ts';
import { readDetails } from '../sessions/store/grant-details.ts';
import { readRefreshToken } from '../sessions/tokens/refresh-token.ts';

/** RFC 6749 6: issues new tokens for the same session. The request may narrow the scope of the access token, never widen it. */
export const refreshTokenGrant: Grant = {
  type: 'refresh_token',
  clientTypes: ['password', 'personal', 'application'],
  async issue(
    { context, keys, sessions, verifier, audiences, scopes: known },
    { client, parameters, source, countAs, jkt },
  ) {
    const refreshToken = required(parameters, 'refresh_token');
    const held = countAs && readRefreshToken(keys, refreshToken);
    if (held) countAs(held.sessionId);
    const requested = parameters.get('scope') ?? '';
    const allowed = (session: { scopes: JsonText<string[]> }) => narrowScopes(parseJson(session.scopes), client.scopes);
    const resources = resourcesIn(parameters);
    const { config, database } = context;
    if (requested !== '' || resources.length > 0 || config.requireEmailConfirmation) {
      // Checked first: an error in the scope, the audience or the user must not use up the refresh token.
      const found = await verifier.find(refreshToken);
      if (found?.session.client_id === client.id) {
        await requireConfirmedEmail(config, database.db, found.session.user_id ?? client.userId);
        heldScopes(known, requested, allowed(found.session));
        audiences.narrow(found.session.resource, resources);
      }
    }
    if (client.realm !== null) {
      const found = await verifier.find(refreshToken);
      await requireRealm(database.db, client, found?.session.user_id ?? null);
    }
    if (client.public) {
      // RFC 9449 5: the refresh token of a public client is bound to the client's key.
      const found = await verifier.find(refreshToken);
      const { jkt: bound } = readDetails(found?.session.details ?? null);
      if (bound !== undefined && bound !== jkt) {
        throw new OAuthError('invalid_grant', 'The refresh token is bound to another key.');
      }
    }
    const { id: clientId, secretId } = client;
    const rotated = await refreshSession(sessions, { refreshToken, clientId, secretId, source });
    return { ...rotated, scopes: heldScopes(known, requested, allowed(rotated.session)) };
  },
};

/** `openid` and `offline_access` are never implied by another scope. */
function heldScopes(known: KnownScopes, requested: string, held: readonly string[]): readonly string[] {
  const scopes = grantScopes(known, requested, held);
  const more = scopes.find((scope) => identityScopes.includes(scope) && !held.includes(scope));
  if (more !== undefined) throw new OAuthError('invalid_scope', `The scope '${more}' was not granted originally.`);
  return scopes;
}
