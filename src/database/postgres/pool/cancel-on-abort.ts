import { once } from 'node:events';
import pg from 'pg';
import { type PrimaryPool, queryOnce } from './primary-pool.ts';

const cancelTimeoutMs = 2000;

/** Connections that are available even if the pool has no free one. */
type ReservedConnections = Pick<PrimaryPool, 'connect'>;

/**
 * Cancels the running statement of a connection when the signal aborts. Await the returned function before the connection is used again, or
 * the cancellation could hit its next statement.
 */
export function cancelOnAbort(
  signal: AbortSignal,
  { pool, reserved }: { pool: PrimaryPool; reserved: ReservedConnections },
  client: pg.PoolClient,
): () => Promise<void> {
  let cancellation: Promise<unknown> | undefined;
  const cancel = () => {
    const request: Promise<unknown> = pool.transactionPooler
      ? cancelThroughPooler(pool.server(), client)
      : cancelWithSql(reserved, client);
    cancellation = request.catch(() => undefined);
  };
  signal.addEventListener('abort', cancel, { once: true });
  return async () => {
    signal.removeEventListener('abort', cancel);
    await cancellation;
  };
}

const cancelWithSql = ({ connect }: ReservedConnections, { processID }: pg.PoolClient) =>
  queryOnce(connect, { text: 'select pg_cancel_backend($1)', values: [processID], query_timeout: cancelTimeoutMs });

/** A pooler assigns its own process ids, so the request to cancel must go through the pooler. */
async function cancelThroughPooler(server: string, client: pg.PoolClient): Promise<void> {
  const canceler = new pg.Client({ connectionString: server });
  const { connection } = canceler;
  const { processID, secretKey } = client;
  const timer = setTimeout(() => connection.stream.destroy(), cancelTimeoutMs);
  // The driver cancels a query only if it is the active one. So both are undefined.
  canceler.cancel({ processID, secretKey, activeQuery: undefined }, undefined);
  connection.on('error', () => undefined);
  await once(connection, 'end').finally(() => clearTimeout(timer));
}
