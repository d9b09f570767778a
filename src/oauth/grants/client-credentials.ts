import { grantScopes } from '../../clients/scopes.ts';
import type { Grant } from '../grant.ts';

/** RFC 6749 4.4, for third-party clients: only the client is authenticated, and it acts for itself. */
export const clientCredentialsGrant: Grant = {
  type: 'client_credentials',
  clientTypes: ['personal'],
  async issue({ sessions, scopes: known }, { client, parameters, origin }) {
    const scopes = grantScopes(known, parameters.get('scope') ?? '', client.scopes);
    return sessions.openWithToken({ clientId: client.id, scopes, origin }, client.secretId);
  },
};
