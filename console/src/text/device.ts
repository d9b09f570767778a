import { describeDevice, partsOfDevice } from '../../../src/http/device.ts';
import { say } from './say.ts';

/** What a person would call the device, in the reader's language. */
export function deviceName(userAgent: string | null): string {
  const device = describeDevice(userAgent);
  const parts = partsOfDevice(device);
  // What a program calls itself is what it is; only our own words are translated.
  return parts ? say('{browser} on {system}', parts) : say(device);
}
