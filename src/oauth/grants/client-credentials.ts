import { requireConfirmedEmail } from '../../identity/credentials/require-confirmed-email.ts';
import { OAuthError } from '../../platform/errors.ts';
import { isRefreshable } from '../clients/client-rules.ts';
import { adminScope } from '../clients/scopes/scopes.ts';
import { authenticatesByKeys, requireCredentials } from '../clients/secrets/client-secrets.ts';
import { type Grant, requestedAccess } from '../oauth.ts';

/** RFC 6749 4.4, for third-party clients: the client authenticates and acts for itself. */
export const clientCredentialsGrant: Grant = {
  type: 'client_credentials',
  clientTypes: ['personal', 'application'],
  confidential: true,
  async issue(oauth, request) {
    const { context, sessions } = oauth;
    const { client, source } = request;
    if (client.registration !== null) {
      throw new OAuthError(
        'unauthorized_client',
        'A client that registered itself acts only for users, not for itself.',
      );
    }
    await requireConfirmedEmail(context.config, context.database.db, client.userId);
    // Only a user who has just authenticated can grant `admin`.
    const withoutAdmin = client.scopes.includes(adminScope)
      ? { ...request, client: { ...client, scopes: client.scopes.filter((scope) => scope !== adminScope) } }
      : request;
    const { scopes, resource } = requestedAccess(oauth, withoutAdmin);
    const refreshable = isRefreshable(client, scopes);
    const session = { clientId: client.id, secretId: client.secretId, scopes, refreshable, resource, source };
    if (!authenticatesByKeys(client)) return { ...sessions.open(context.database, session), scopes };
    return context.database.db.transaction().execute(async (tx) => {
      await requireCredentials(context, tx, client);
      const opened = sessions.open(tx, session);
      await opened.durable;
      return { ...opened, scopes };
    });
  },
};
