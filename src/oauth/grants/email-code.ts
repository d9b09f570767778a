import { maxFailures } from '../../identity/credentials/check-credentials.ts';
import { readEmailCode } from '../../identity/factors/email-codes.ts';
import { checkWithinLimits, networkLimits } from '../../identity/throttle/throttle.ts';
import { OAuthError } from '../../platform/errors.ts';
import { finishFirstStep } from '../first-step.ts';
import { type Grant, requestedAccess } from '../grant.ts';
import { wrongFactor } from '../open-login.ts';
import { required } from '../parameters.ts';

/** A code sent by mail replaces the password (EMAIL_CODES=on). */
export const emailCodeGrant: Grant = {
  type: 'urn:gatehouse:email-code',
  clientTypes: ['password'],
  async issue(oauth, request) {
    const { context, keys } = oauth;
    const { parameters, source, countRequest } = request;
    if (!context.config.emailCodes)
      throw new OAuthError('unauthorized_client', 'Codes by email are disabled (EMAIL_CODES).');
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
