import { findUser } from '../../identity/accounts/user-store.ts';
import { maxFailures, requireConfirmed } from '../../identity/credentials/check-credentials.ts';
import { readEmailCode } from '../../identity/factors/email-codes.ts';
import { readAssertion } from '../../identity/factors/passkeys.ts';
import { amrOfPasskey, proveFactor } from '../../identity/factors/prove-factor.ts';
import { consumeMfaToken, isSamePassword, loginExpired, readMfaToken } from '../../identity/factors/second-step.ts';
import { checkWithinLimits, networkLimits } from '../../identity/throttle/throttle.ts';
import { OAuthError } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { type Grant, requestedAccess } from '../oauth.ts';
import { finishFirstStep, openLogin, wrongFactor } from '../open-login.ts';
import { invalidRequest, passkeyIn, required, resourcesIn } from '../parameters.ts';

/** RFC 6749 4.3, for first-party clients: checks the client and the user, then issues tokens or asks for the second factor. */
export const passwordGrant: Grant = {
  type: 'password',
  clientTypes: ['password'],
  isEnabled: ({ localPasswords }) => localPasswords,
  async issue(oauth, request) {
    if (!oauth.context.config.localPasswords) throw noPasswords();
    const { client, parameters, source, countRequest } = request;
    const login = required(parameters, 'username');
    const password = required(parameters, 'password');
    const access = requestedAccess(oauth, request);
    const user = await oauth.checkCredentials({ login, password, source, clientId: client.id, realm: client.realm });
    countRequest?.(user.id);
    return finishFirstStep(oauth, request, { user, ...access, firstMethod: 'password' });
  },
};

const noPasswords = () =>
  new OAuthError('unsupported_grant_type', 'This service has no passwords. Sign in with a provider or a passkey.');

/** A code sent by mail replaces the password (EMAIL_CODES=on). */
export const emailCodeGrant: Grant = {
  type: 'urn:gatehouse:email-code',
  clientTypes: ['password'],
  isEnabled: ({ emailCodes }) => emailCodes,
  async issue(oauth, request) {
    const { context, keys } = oauth;
    const { parameters, source, countRequest } = request;
    if (!context.config.emailCodes)
      throw new OAuthError('unsupported_grant_type', 'Codes by email are disabled (EMAIL_CODES).');
    const id = required(parameters, 'email_code');
    const code = required(parameters, 'code').replaceAll(' ', '');
    const access = requestedAccess(oauth, request);
    await keys.ensureCurrent();
    const limits = networkLimits('login', source.address, maxFailures.address);
    const read = await checkWithinLimits(context, limits, () => readEmailCode(oauth, id, code));
    context.metrics.logins.inc({ result: read ? 'accepted' : 'refused' });
    if (!read) throw wrongFactor('wrong code');
    countRequest?.(read.user.id);
    const { user, consume } = read;
    return finishFirstStep(oauth, request, { user, ...access, firstMethod: 'email_code', consume });
  },
};

/** A passkey without a password, for first-party clients. It proves the device and the user, and cannot be phished. */
export const passkeyGrant: Grant = {
  type: 'urn:gatehouse:passkey',
  clientTypes: ['password'],
  async issue(oauth, request) {
    const { context, keys } = oauth;
    const { parameters, source, countRequest } = request;
    const passkey = passkeyIn(parameters);
    if (passkey === undefined) throw invalidRequest("The parameter 'passkey' is missing.");
    const access = requestedAccess(oauth, request);
    await keys.ensureCurrent();
    const limits = networkLimits('login', source.address, maxFailures.address);
    const proved = await checkWithinLimits(context, limits, async () => {
      const assertion = await readAssertion(oauth, passkey);
      const user = assertion && (await findUser(context.database.db, assertion.passkey.user_id));
      return user && !user.disabled ? { assertion, user } : undefined;
    });
    context.metrics.logins.inc({ result: proved ? 'accepted' : 'refused' });
    if (!proved) throw wrongFactor('no passkey of a user who may sign in');
    const { assertion, user } = proved;
    requireConfirmed(context, user);
    countRequest?.(user.id);
    const amr = amrOfPasskey(assertion);
    return openLogin(oauth, request, { user, ...access, amr, consume: assertion.consume });
  },
};

/** The second step of a login: the second factor after the password. */
export const mfaGrant: Grant = {
  type: 'urn:gatehouse:mfa',
  clientTypes: ['password'],
  isEnabled: ({ mfa }) => mfa !== 'off',
  async issue(oauth, request) {
    const { context, keys } = oauth;
    const { client, parameters, source, countRequest } = request;
    if (context.config.mfa === 'off')
      throw new OAuthError('unsupported_grant_type', 'Second factors are disabled (MFA).');
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
    // Checked first: an error in the audience must not use up the token and the factor.
    const { resource } = firstStep;
    oauth.audiences.narrow(resource.length > 0 ? JSON.stringify(resource) : null, resourcesIn(parameters));
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
