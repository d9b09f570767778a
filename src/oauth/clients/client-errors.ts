import { OAuthError } from '../../platform/errors.ts';
import type { StoredClient } from './client-store.ts';

const challenge = { 'WWW-Authenticate': 'Basic realm="gatehouse", charset="UTF-8"' };

/** An unknown client and a wrong secret get the same error. The challenge names Basic, which every client supports. */
export const invalidClient = (reason: string, headers: Record<string, string> = challenge) =>
  new OAuthError('invalid_client', 'The client is unknown, or its credentials are missing or wrong.', {
    reason,
    headers,
  });

/** RFC 6749 5.2: the client is known, but clients of its type may not use the grant. */
export const unauthorizedClient = (client: StoredClient): OAuthError => {
  if (client.grant_types.length > 0) {
    const description = `This client was registered for the grants ${client.grant_types.join(', ')}.`;
    return new OAuthError('unauthorized_client', description);
  }
  const clientDescription = client.public ? 'A public client' : `A client of the type ${client.type}`;
  return new OAuthError('unauthorized_client', `${clientDescription} may not use this grant.`);
};
