import type { ClientRequest } from './client-request.ts';
import type { GrantRequest, GrantResult } from './grant-request.ts';
import type { DeviceCodes } from './schemas.ts';

/** The sign-in on devices without a browser (RFC 8628). */
export interface Devices {
  /** RFC 8628 3.1 and 3.2: makes the codes of a device. */
  authorize(request: ClientRequest): Promise<DeviceCodes>;
  /** RFC 8628 3.4 and 3.5: the session that the user has opened for the device. */
  redeem(request: GrantRequest): Promise<GrantResult>;
}
