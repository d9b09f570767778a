import { once } from 'node:events';
import pg from 'pg';
import type { PrimaryPool } from './primary-pool.ts';

/** Whoever has not closed the connection by then is not waited for. */
const closesWithinMs = 2000;

/** Parts of a connection that the driver's types leave out. */
interface Cancelable {
  readonly processID: number;
  readonly secretKey: number;
  cancel(client: object, query: undefined): void;
  readonly connection: pg.Connection & { readonly stream: { destroy(): void } };
}

/** Lets a signal end what a connection is doing. To be waited for before another uses it: it might end that instead. */
export function cancelAt(signal: AbortSignal, pool: PrimaryPool, client: pg.PoolClient): () => Promise<void> {
  let canceled: Promise<unknown> | undefined;
  const cancel = () => {
    const done = pool.byTransaction ? cancelThrough(pool.server(), client) : cancelIn(pool.pool, client);
    canceled = done.catch(() => undefined);
  };
  signal.addEventListener('abort', cancel, { once: true });
  return async () => {
    signal.removeEventListener('abort', cancel);
    await canceled;
  };
}

const cancelIn = (pool: pg.Pool, client: pg.PoolClient): Promise<unknown> =>
  pool.query('select pg_cancel_backend($1)', [(client as unknown as Cancelable).processID]);

/** A pooler gives out numbers of its own, and alone knows whose statement they mean. */
async function cancelThrough(server: string, client: pg.PoolClient): Promise<void> {
  const canceler = new pg.Client({ connectionString: server }) as unknown as Cancelable;
  const { connection } = canceler;
  const { processID, secretKey } = client as unknown as Cancelable;
  const timer = setTimeout(() => connection.stream.destroy(), closesWithinMs);
  // "undefined" is what such a client is said to be doing: the driver cancels a statement only while it is the current one.
  canceler.cancel({ processID, secretKey, activeQuery: undefined }, undefined);
  connection.on('error', () => undefined);
  await once(connection, 'end').finally(() => clearTimeout(timer));
}
