import { requireUnchanged } from '../../identity/credentials/check-credentials.ts';
import { rememberDevice } from '../../identity/credentials/known-devices.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { requireSecret } from '../clients/client-secrets.ts';
import { grantScopes } from '../clients/scopes.ts';
import type { Grant } from '../grant.ts';
import { required, resourcesIn } from '../parameters.ts';
import { byPassword } from '../sessions/store/authentication.ts';

/** RFC 6749 4.3, for first-party clients: the client, then the user, then tokens. */
export const passwordGrant: Grant = {
  type: 'password',
  clientTypes: ['password'],
  async issue(
    { context, keys, sessions, audiences, scopes: known, checkCredentials, noteLogin },
    { client, parameters, source, countAs },
  ) {
    const login = required(parameters, 'username');
    const password = required(parameters, 'password');
    const scopes = grantScopes(known, parameters.get('scope') ?? '', client.scopes);
    const user = await checkCredentials({ login, password, source, clientId: client.id });
    countAs?.(user.id);
    const opened = await context.database.db.transaction().execute(async (tx) => {
      await requireUnchanged(context, tx, user);
      await requireSecret(context, tx, client.secretId);
      const stored = sessions.open(tx, {
        userId: user.id,
        clientId: client.id,
        scopes,
        resource: audiences.read(resourcesIn(parameters)),
        authentication: byPassword(context.now()),
        source,
      });
      await stored.durable;
      await noteLogin(tx, { userId: user.id, source });
      await recordEvent(context, tx, {
        type: 'login.succeeded',
        userId: user.id,
        clientId: client.id,
        sessionId: stored.session.id,
        source,
      });
      return stored;
    });
    return { ...opened, scopes, device: rememberDevice(keys, source, user.id) };
  },
};
