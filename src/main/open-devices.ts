import type { Devices, OAuth } from '../oauth/oauth.ts';
import { lazy } from '../platform/lazy.ts';

const loadAuthorization = lazy(() => import('../../extensions/device-authorization/device-authorization.ts'));
const loadRedemption = lazy(() => import('../../extensions/device-authorization/redeem-device-code.ts'));

/** Loads the extension with the first request of a device. */
export const openDevices = (oauth: () => OAuth): Devices => ({
  authorize: async (request) => (await loadAuthorization()).authorizeDevice(oauth(), request),
  redeem: async (request) => (await loadRedemption()).redeemDeviceCode(oauth(), request),
});
