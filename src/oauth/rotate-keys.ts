import type { Context } from '../context.ts';
import type { KeyInfo, KeyRing } from '../crypto/key-ring.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Origin } from '../http/origin.ts';

/** Rotates the signing keys and records it. */
export async function rotateKeys(
  context: Context,
  keys: KeyRing,
  { origin, actorId, compromised }: { origin: Origin; actorId?: string; compromised?: boolean },
): Promise<KeyInfo> {
  const key = await keys.rotate({ compromised: compromised ?? false });
  const data = { key: key.id, algorithm: key.algorithm, compromised: compromised ?? false };
  await recordEvent(context, context.database.db, { type: 'keys.rotated', actorId, origin, data });
  return key;
}
