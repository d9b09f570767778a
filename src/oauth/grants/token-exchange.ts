import type { Grant } from '../oauth.ts';

/** RFC 8693: a user's token for the next service, with fewer scopes and a shorter lifetime. */
export const tokenExchangeGrant: Grant = {
  type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  clientTypes: ['application', 'personal'],
  confidential: true,
  issue: (oauth, request) => oauth.extensionGrants.exchangeToken(oauth, request),
};
