import type { FastifyRequest } from 'fastify';

/** What a page says after a form was done. The address names one by `?done=…`, so nothing of an address is shown. */
const notices = new Map([
  ['registered', 'Your account is ready. Follow the link in the mail that we sent you, then sign in.'],
  ['signed-out', 'You are signed out.'],
  ['password-reset', 'Your new password is set. Sign in with it.'],
  ['welcome', 'Welcome. Your first access token waits for you under "Access tokens".'],
  ['profile-saved', 'Saved.'],
  ['email-pending', 'Saved. Your new email address counts when you follow the link in the mail we sent there.'],
  ['email-kept', 'Your email address stays as it is.'],
  ['password-changed', 'Your password is changed, and you are signed out everywhere else.'],
  ['session-ended', 'That session is signed out.'],
  ['others-ended', 'You are signed out everywhere else.'],
  ['token-revoked', 'The token is revoked.'],
  ['token-collected', 'This token was shown before and cannot be shown again. Create a new one if you lost it.'],
  ['consent-withdrawn', 'That application has no access to your account any more.'],
  ['application-saved', 'Saved.'],
  ['application-removed', 'The application is removed.'],
]);

export const noticeOf = (request: FastifyRequest): string | undefined =>
  notices.get((request.query as Record<string, string | undefined>).done ?? '');
