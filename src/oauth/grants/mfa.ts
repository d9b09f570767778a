import { findUser } from '../../identity/accounts/user-store.ts';
import { consumeMfaToken, isSamePassword, readMfaToken } from '../../identity/factors/mfa-token.ts';
import { proveFactor } from '../../identity/factors/prove-factor.ts';
import { OAuthError } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import type { Grant } from '../grant.ts';
import { openLogin, wrongFactor } from '../open-login.ts';
import { passkeyIn, required } from '../parameters.ts';

/** The login page starts again on this error. */
export const loginExpired = 'This login has expired. Start again.';

/** The second step of a login: the second factor after the password. */
export const mfaGrant: Grant = {
  type: 'urn:gatehouse:mfa',
  clientTypes: ['password'],
  async issue(oauth, request) {
    const { context, keys } = oauth;
    const { client, parameters, source, countRequest } = request;
    const token = required(parameters, 'mfa_token');
    await keys.ensureCurrent();
    const first = readMfaToken(keys, token, context.now());
    const user = first?.clientId === client.id ? await findUser(context.database.db, first.userId) : undefined;
    if (!first || !user || user.disabled || !isSamePassword(first, user)) {
      throw new OAuthError('invalid_grant', loginExpired);
    }
    countRequest?.(user.id);
    const passkey = passkeyIn(parameters);
    const code = passkey === undefined ? required(parameters, 'code') : undefined;
    const sent = { code, passkey, emailCode: first.emailCode };
    const factor = await proveFactor(oauth, { userId: user.id, methods: first.methods, sent, source });
    if (!factor) {
      const data = { reason: 'wrong second factor' };
      const failed = { type: 'login.failed', userId: user.id, clientId: client.id, source, data };
      await recordEvent(context, context.database.db, failed);
      throw wrongFactor('wrong second factor');
    }
    return openLogin(oauth, request, {
      user,
      scopes: first.scopes,
      resource: first.resource,
      amr: [...new Set([...first.amr, ...factor.amr, 'mfa'])],
      identity: first.identity,
      remember: parameters.get('remember') === 'true',
      async consume(tx) {
        if (!(await consumeMfaToken(tx, first))) throw new OAuthError('invalid_grant', loginExpired);
        return factor.consume(tx);
      },
    });
  },
};
