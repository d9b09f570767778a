import { type Message, message } from '../../config/languages/message.ts';
import type { PageRequest } from './page-request.ts';

/** The notices after a successful form. `?done=…` in the URL selects one, so no text of the URL is shown. */
const notices = new Map(
  [
    'login-expired',
    'passkey-refused',
    'factor-added',
    'factor-removed',
    'identity-linked',
    'identity-unlinked',
    'registered',
    'signed-out',
    'password-reset',
    'invited',
    'welcome',
    'profile-saved',
    'email-pending',
    'email-kept',
    'password-changed',
    'session-ended',
    'others-ended',
    'token-revoked',
    'token-collected',
    'consent-withdrawn',
    'application-saved',
    'application-removed',
  ].map((name) => [name, message(`notice.${name}`)]),
);

export const noticeOf = ({ query }: PageRequest): Message | undefined => notices.get(query.done ?? '');
