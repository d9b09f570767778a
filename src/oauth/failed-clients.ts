import type { Context } from '../database/context.ts';
import { networkOf } from '../http/network-of.ts';
import type { RequestSource } from '../http/request-source.ts';
import { getOrCreate } from '../platform/get-or-create.ts';
import { recordEvent } from '../resources/audit/record-event.ts';
import type { ClientDirectory } from './clients/client-directory.ts';

const windowMs = 15 * 60_000;
/** The limit of client ids per network, existing or not. */
const maxPerNetwork = 10;
/** The limit of all networks together: an attacker with many networks must not fill the audit trail. */
const maxInTotal = 500;
const maxIdLength = 128;

/** Returns a function that records failed client authentication, at most once per 15 minutes, client and network. Each instance counts for itself. */
export function createFailedClientRecorder(context: Context, clients: ClientDirectory) {
  /** The client ids that were tried, by network. */
  let triedIdsByNetwork = new Map<string, Set<string>>();
  let recordedCount = 0;
  let windowStart = 0;

  function isNew(id: string, network: string): boolean {
    const now = context.now();
    if (Math.abs(now - windowStart) >= windowMs) {
      triedIdsByNetwork = new Map();
      recordedCount = 0;
      windowStart = now;
    }
    if (recordedCount >= maxInTotal) return false;
    const ids = getOrCreate(triedIdsByNetwork, network, () => new Set());
    if (ids.has(id) || ids.size >= maxPerNetwork) return false;
    ids.add(id);
    recordedCount++;
    return true;
  }

  return async (id: string | undefined, source: RequestSource): Promise<void> => {
    const clientId = (id ?? '').slice(0, maxIdLength);
    if (!isNew(clientId, networkOf(source.address ?? 'unknown'))) return;
    try {
      const client = clientId === '' || clientId !== id ? undefined : await clients.find(clientId);
      await recordEvent(context, context.database.db, {
        type: 'client.authentication_failed',
        clientId: client?.id,
        userId: client?.userId,
        source,
        data: client || clientId === '' ? {} : { client: clientId },
      });
    } catch (error) {
      context.log.warn({ err: error }, 'a failed client authentication was not recorded');
    }
  };
}
