import { grantScopes, narrowScopes } from '../../clients/scopes.ts';
import { readRefreshToken } from '../../sessions/refresh-token.ts';
import type { Grant } from '../grant.ts';
import { required, resourcesIn } from '../parameters.ts';

/** RFC 6749 6: a new pair for the same session. May narrow the access token's scope, never widen it. */
export const refreshTokenGrant: Grant = {
  type: 'refresh_token',
  clientTypes: ['password', 'personal', 'application'],
  async issue({ keys, sessions, verifier, audiences, scopes: known }, { client, parameters, source, countAs }) {
    const refreshToken = required(parameters, 'refresh_token');
    const held = countAs && readRefreshToken(keys, refreshToken);
    if (held) countAs(held.sessionId);
    const asked = parameters.get('scope') ?? '';
    const allowed = (session: { scopes: string }) =>
      narrowScopes(JSON.parse(session.scopes) as string[], client.scopes);
    const resources = resourcesIn(parameters);
    if (asked !== '' || resources.length > 0) {
      // Checked first: a refusal for the scope or the audience must not use the refresh token up.
      const found = await verifier.find(refreshToken);
      if (found?.session.client_id === client.id) {
        grantScopes(known, asked, allowed(found.session));
        audiences.narrow(found.session.resource, resources);
      }
    }
    const { id: clientId, secretId } = client;
    const rotated = await sessions.rotate({ refreshToken, clientId, secretId, source });
    return { ...rotated, scopes: grantScopes(known, asked, allowed(rotated.session)) };
  },
};
