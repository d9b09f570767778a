import { once } from 'node:events';
import pg from 'pg';
import { limited } from './limits.ts';
import type { PrimaryPool } from './primary-pool.ts';

/** Connections that are still open after this time are not waited for. */
const closesWithinMs = 2000;

/** Connections that are there though the pool is taken. */
type Own = Pick<PrimaryPool, 'connect'>;

/** Lets a signal end what a connection is doing. To be waited for before another uses it: it might end that instead. */
export function cancelAt(
  signal: AbortSignal,
  { pool, own }: { pool: PrimaryPool; own: Own },
  client: pg.PoolClient,
): () => Promise<void> {
  let canceled: Promise<unknown> | undefined;
  const cancel = () => {
    const done = pool.byTransaction ? cancelThrough(pool.server(), client) : cancelIn(own, client);
    canceled = done.catch(() => undefined);
  };
  signal.addEventListener('abort', cancel, { once: true });
  return async () => {
    signal.removeEventListener('abort', cancel);
    await canceled;
  };
}

async function cancelIn(own: Own, client: pg.PoolClient): Promise<void> {
  const canceler = await own.connect();
  let failed = true;
  try {
    const values = [client.processID];
    await canceler.query({ ...limited('select pg_cancel_backend($1)', closesWithinMs), values });
    failed = false;
  } finally {
    canceler.release(failed);
  }
}

/** A pooler gives out numbers of its own, and alone knows whose statement they mean. */
async function cancelThrough(server: string, client: pg.PoolClient): Promise<void> {
  const canceler = new pg.Client({ connectionString: server });
  const { connection } = canceler;
  const { processID, secretKey } = client;
  const timer = setTimeout(() => connection.stream.destroy(), closesWithinMs);
  // "undefined" is what such a client is said to be doing: the driver cancels a statement only while it is the current one.
  canceler.cancel({ processID, secretKey, activeQuery: undefined }, undefined);
  connection.on('error', () => undefined);
  await once(connection, 'end').finally(() => clearTimeout(timer));
}
