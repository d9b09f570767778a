import { requireConfirmedEmail } from '../../identity/credentials/require-confirmed-email.ts';
import { OAuthError } from '../../platform/errors.ts';
import { isRefreshable } from '../clients/may-use-grant.ts';
import { grantScopes } from '../clients/scopes/scopes.ts';
import type { Grant } from '../grant.ts';
import { resourcesIn } from '../parameters.ts';

/** RFC 6749 4.4, for third-party clients: the client authenticates and acts for itself. */
export const clientCredentialsGrant: Grant = {
  type: 'client_credentials',
  clientTypes: ['personal', 'application'],
  confidential: true,
  async issue({ context, sessions, audiences, scopes: known }, { client, parameters, source }) {
    if (client.registration !== null) {
      throw new OAuthError(
        'unauthorized_client',
        'A client that registered itself acts only for users, not for itself.',
      );
    }
    await requireConfirmedEmail(context.config, context.database.db, client.userId);
    const scopes = grantScopes(known, parameters.get('scope') ?? '', client.scopes);
    const refreshable = isRefreshable(client, scopes);
    const resource = audiences.read(resourcesIn(parameters));
    const session = { clientId: client.id, secretId: client.secretId, scopes, refreshable, resource, source };
    return { ...sessions.open(context.database, session), scopes };
  },
};
