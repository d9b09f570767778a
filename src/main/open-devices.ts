import type { Devices } from '../oauth/devices.ts';
import type { OAuth } from '../oauth/oauth.ts';

/** Loads the extension with the first request of a device. */
export const openDevices = (oauth: () => OAuth): Devices => ({
  async authorize(request) {
    const { authorizeDevice } = await import('../../extensions/device-authorization/device-authorization.ts');
    return authorizeDevice(oauth(), request);
  },
  async redeem(request) {
    const { redeemDeviceCode } = await import('../../extensions/device-authorization/redeem-device-code.ts');
    return redeemDeviceCode(oauth(), request);
  },
});
