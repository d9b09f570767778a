import { OAuthError } from '../../platform/errors.ts';

const challenge = { 'WWW-Authenticate': 'Basic realm="gatehouse", charset="UTF-8"' };

/** An unknown client and a wrong secret look alike. The challenge names the way that every client can take. */
export const unknownClient = (reason: string, headers: Record<string, string> = challenge) =>
  new OAuthError('invalid_client', 'The client is unknown, or its credentials are missing or wrong.', {
    reason,
    headers,
  });
