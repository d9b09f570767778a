import type pg from 'pg';
import { unavailable } from '../../../platform/errors.ts';

/** Connections on which the server has given up waiting for a synchronous standby. */
const unreplicated = new WeakSet<pg.ClientBase>();

/** In the server's source. Its message is in the language of the server. */
const whereItWaits = 'SyncRepWaitForLSN';

/**
 * A commit whose wait for the standby was cut short is reported as done, with a warning: the standby may not have it, and a failover would
 * lose it. So it must not be acknowledged.
 */
export function watchReplication(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine === whereItWaits) unreplicated.add(client);
  });
}

/** To be called when a statement is done that may have written. */
export function refuseUnreplicated(client: pg.ClientBase): void {
  if (!unreplicated.delete(client)) return;
  throw unavailable(
    'The database could not confirm that this was stored safely. Check whether it was stored before you try again.',
    5,
    'a commit may not have been replicated',
  );
}
