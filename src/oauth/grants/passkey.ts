import { findUser } from '../../identity/accounts/user-store.ts';
import { maxFailures, requireConfirmed } from '../../identity/credentials/check-credentials.ts';
import { readAssertion } from '../../identity/factors/passkeys.ts';
import { amrOfPasskey } from '../../identity/factors/prove-factor.ts';
import { checkWithinLimits, networkLimits } from '../../identity/throttle/throttle.ts';
import { type Grant, requestedAccess } from '../grant.ts';
import { openLogin, wrongFactor } from '../open-login.ts';
import { invalidRequest, passkeyIn } from '../parameters.ts';

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
