import { OAuthError } from '../../platform/errors.ts';
import { finishFirstStep } from '../first-step.ts';
import { type Grant, requestedAccess } from '../grant.ts';
import { required } from '../parameters.ts';

/** RFC 6749 4.3, for first-party clients: checks the client and the user, then issues tokens or asks for the second factor. */
export const passwordGrant: Grant = {
  type: 'password',
  clientTypes: ['password'],
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
