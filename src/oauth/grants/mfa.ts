import { findUser } from '../../identity/accounts/user-store.ts';
import { consumeMfaToken, isSamePassword, loginExpired, readMfaToken } from '../../identity/factors/mfa-token.ts';
import { proveFactor } from '../../identity/factors/prove-factor.ts';
import { OAuthError } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import type { Grant } from '../grant.ts';
import { openLogin, wrongFactor } from '../open-login.ts';
import { passkeyIn, required } from '../parameters.ts';

/** The second step of a login: the second factor after the password. */
export const mfaGrant: Grant = {
  type: 'urn:gatehouse:mfa',
  clientTypes: ['password'],
  async issue(oauth, request) {
    const { context, keys } = oauth;
    const { client, parameters, source, countRequest } = request;
    const token = required(parameters, 'mfa_token');
    await keys.ensureCurrent();
    const firstStep = readMfaToken(keys, token, context.now());
    const user = firstStep?.clientId === client.id ? await findUser(context.database.db, firstStep.userId) : undefined;
    if (!firstStep || !user || user.disabled || !isSamePassword(firstStep, user)) {
      throw new OAuthError('invalid_grant', loginExpired);
    }
    countRequest?.(user.id);
    const passkey = passkeyIn(parameters);
    const code = passkey === undefined ? required(parameters, 'code') : undefined;
    const input = { code, passkey, emailCode: firstStep.emailCode };
    const factor = await proveFactor(oauth, { userId: user.id, methods: firstStep.methods, input, source });
    if (!factor) {
      const data = { reason: 'wrong second factor' };
      const failedLogin = { type: 'login.failed', userId: user.id, clientId: client.id, source, data };
      await recordEvent(context, context.database.db, failedLogin);
      throw wrongFactor('wrong second factor');
    }
    return openLogin(oauth, request, {
      user,
      scopes: firstStep.scopes,
      resource: firstStep.resource,
      amr: [...new Set([...firstStep.amr, ...factor.amr, 'mfa'])],
      identity: firstStep.identity,
      remember: parameters.get('remember') === 'true',
      async consume(tx) {
        if (!(await consumeMfaToken(tx, firstStep))) throw new OAuthError('invalid_grant', loginExpired);
        return factor.consume(tx);
      },
    });
  },
};
