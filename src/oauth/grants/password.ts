import { requireSecret } from '../../clients/client-secrets.ts';
import { grantScopes } from '../../clients/scopes.ts';
import { recordEvent } from '../../events/record-event.ts';
import { requireUnchanged } from '../../users/credentials/check-credentials.ts';
import { rememberDevice } from '../../users/credentials/known-devices.ts';
import type { Grant } from '../grant.ts';
import { required } from '../parameters.ts';

/** RFC 6749 4.3, for first-party clients: the client, then the user, then tokens. */
export const passwordGrant: Grant = {
  type: 'password',
  clientTypes: ['password'],
  async issue(
    { context, keys, sessions, scopes: known, checkCredentials, noteLogin },
    { client, parameters, origin, countAs },
  ) {
    const login = required(parameters, 'username');
    const password = required(parameters, 'password');
    const scopes = grantScopes(known, parameters.get('scope') ?? '', client.scopes);
    const user = await checkCredentials({ login, password, origin, clientId: client.id });
    countAs?.(user.id);
    const session = await context.database.db.transaction().execute(async (tx) => {
      await requireUnchanged(context, tx, user);
      await requireSecret(context, tx, client.secretId);
      const opened = await sessions.open(tx, { userId: user.id, clientId: client.id, scopes, origin });
      await noteLogin(tx, { userId: user.id, origin });
      await recordEvent(context, tx, {
        type: 'login.succeeded',
        userId: user.id,
        clientId: client.id,
        sessionId: opened.id,
        origin,
      });
      return opened;
    });
    return { session, scopes, device: rememberDevice(keys, origin, user.id) };
  },
};
