import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Tx } from '../../database/database.ts';
import { describeDevice, recogniseDevice } from '../../http/device.ts';
import { networkOf } from '../../http/network-of.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { tellOwner } from '../accounts/tell-owner.ts';
import { seeDevice } from './known-device-store.ts';
import { deviceOf } from './known-devices.ts';

/**
 * In the transaction that opens a session: a login from a device that was not seen before is told to the owner, but for the
 * first of all. A device is known by its cookie, and where it keeps none, by what it calls itself in which network: a browser
 * that updated itself stays the same.
 */
export async function noteLogin(
  context: Context,
  { keys, mail }: Pick<AccountServices, 'keys' | 'mail'>,
  tx: Tx,
  { userId, origin }: { userId: string; origin: RequestSource },
): Promise<void> {
  const network = networkOf(origin.address ?? 'unknown');
  const fingerprint = createHash('sha256')
    .update(`${userId}\n${network}\n${describeDevice(origin.userAgent)}`)
    .digest('base64url');
  const seen = await seeDevice(tx, { userId, fingerprint, now: context.now() });
  if (!seen.new || seen.first || deviceOf(keys, origin, userId) !== undefined) return;
  const data = { device: recogniseDevice(origin.userAgent) ?? 'another application', address: origin.address };
  await tellOwner(context, mail, tx, { userId, template: 'new-login', data });
}
