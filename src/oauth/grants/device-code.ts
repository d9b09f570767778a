import type { Grant } from '../oauth.ts';

/** RFC 8628 3.4: the device polls until the user has decided. */
export const deviceCodeGrant: Grant = {
  type: 'urn:ietf:params:oauth:grant-type:device_code',
  clientTypes: ['application'],
  issue: (oauth, request) => oauth.extensionGrants.redeemDeviceCode(oauth, request),
};
