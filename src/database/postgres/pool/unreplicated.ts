import type pg from 'pg';
import { unavailable } from '../../../platform/errors.ts';

/** Connections on which the server has given up waiting for a synchronous standby. */
const unreplicatedClients = new WeakSet<pg.ClientBase>();

/** The function in PostgreSQL's source that waits for a standby. The text of the warning depends on the language of the server. */
const waitRoutine = 'SyncRepWaitForLSN';

/**
 * If the wait for a standby is interrupted, PostgreSQL reports the commit as done, with a warning. The standby may not have it, so a
 * failover could lose it. Such a commit must not be acknowledged.
 */
export function watchReplication(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine === waitRoutine) unreplicatedClients.add(client);
  });
}

/** Call it after each statement that may have written. */
export function requireReplicated(client: pg.ClientBase): void {
  if (!unreplicatedClients.delete(client)) return;
  throw unavailable(
    'The database could not confirm that this was stored safely. Check whether it was stored before you try again.',
    5,
    'a commit may not have been replicated',
  );
}
