import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { OperatorError } from '../../platform/errors.ts';
import { ConnectionDriver } from '../connection-driver.ts';
import type { Database } from '../database.ts';
import { FairQueue } from '../fair-queue.ts';
import { combineReaders, type Reader } from '../reader.ts';
import { rowMark } from '../sqlite/row-mark.ts';
import type { Tables } from '../tables/tables.ts';
import { RowChanges } from './batching/row-changes.ts';
import { SharedReads } from './batching/shared-reads.ts';
import { shareWrites } from './batching/shared-writes.ts';
import { checkInvalidations } from './invalidations/check-invalidations.ts';
import { DatabaseClock } from './invalidations/database-clock.ts';
import { PostgresBus, type Servers } from './invalidations/postgres-bus.ts';
import { cancelOnAbort } from './pool/cancel-on-abort.ts';
import { type Connection, connect } from './pool/connection.ts';
import { withDirectConnection } from './pool/direct-connection.ts';
import { limitsOf } from './pool/limits.ts';
import { openPrimaryPool } from './pool/primary-pool.ts';
import { reserveSize, withReserve } from './pool/reserve.ts';
import { postgresProbes } from './postgres-probes.ts';
import { PostgresReplicas } from './replicas/replicas.ts';
import { Primary } from './servers/primary.ts';

// Whole numbers here are counts and milliseconds, all below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Checks the connection at a start and throws an error for the operator. Later, the service waits for an unreachable database. */
async function checkConnection({ primary, listening }: Servers, clock: DatabaseClock): Promise<void> {
  let setting = 'DATABASE_URL';
  try {
    await primary.find();
    const isApart = listening !== primary;
    if (isApart) {
      setting = 'DATABASE_LISTEN_URL';
      await listening.find();
      setting = 'DATABASE_URL and DATABASE_LISTEN_URL';
    }
    await checkInvalidations({ server: primary.current, listen: isApart ? listening.current : undefined, clock });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `${primary.describeFailure(error)} Check ${setting} (host, port, user, password and name), and that the server runs.`,
    );
  }
}

/** Limits expensive reads, so that connections remain for other reads and for other callers. */
function createReadQueue(poolSize: number, seconds: number): FairQueue {
  const atOnce = Math.max(1, Math.floor(poolSize * 0.6));
  return new FairQueue({
    atOnce,
    atOnceForOne: Math.max(1, Math.floor(atOnce / 2)),
    waiting: 500,
    waitingForOne: 50,
    seconds,
  });
}

type Run = <R>(text: string, values: readonly unknown[], once?: boolean) => Promise<R[]>;

interface Options {
  readonly url: string;
  /** The address without the transaction pooler that `url` uses. */
  readonly listenUrl: string;
  readonly poolSize: number;
  readonly readSeconds: number;
  readonly replicaUrls: readonly string[];
}

export async function openPostgres({ url, listenUrl, poolSize, readSeconds, replicaUrls }: Options): Promise<Database> {
  const limits = limitsOf(readSeconds);
  const primary = new Primary(url);
  const listening = listenUrl === '' ? primary : new Primary(listenUrl);
  const clock = new DatabaseClock();
  await checkConnection({ primary, listening }, clock);
  const byTransaction = listening !== primary;
  const opened = openPrimaryPool(primary, { size: poolSize, transactionPooler: byTransaction, limits });
  const reserve = openPrimaryPool(primary, { size: reserveSize, transactionPooler: byTransaction, limits });
  const { pool } = opened;
  const { all, own, isFull } = withReserve(opened, reserve, poolSize);
  const ours = { ...all, ...own };
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new ConnectionDriver(() => connect(all, limits)),
      createIntrospector: (inner) => new PostgresIntrospector(inner),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  for (const way of new Set([primary, listening])) way.watch();
  const runOn = async <R>(
    connecting: Promise<Connection>,
    text: string,
    values: readonly unknown[],
    { once = false, signal }: { once?: boolean | undefined; signal?: AbortSignal } = {},
  ): Promise<R[]> => {
    const connection = await connecting;
    const canceled = signal ? cancelOnAbort(signal, { pool: opened, own }, connection.client) : undefined;
    try {
      signal?.throwIfAborted();
      return (await connection.query(text, [...values], once ? 'perhaps' : true)).rows;
    } finally {
      await canceled?.();
      connection.release();
    }
  };
  const run: Run = (text, values, once) => runOn(connect(all, limits), text, values, { once });
  const runQuery: Run = (text, values, once) => runOn(connect(ours, limits), text, values, { once });
  const closing = new AbortController();
  const expensive = createReadQueue(poolSize, readSeconds);
  const shared = new SharedReads(run);
  const sharedReads = new SharedReads(runQuery);
  // Identical reads of one caller take one place in the queue.
  const queued = new SharedReads((text, values, once, readers) =>
    expensive.run(combineReaders(readers), (signal) => runOn(connect(all, limits), text, values, { once, signal })),
  );
  const read = <R>(text: string, values: readonly unknown[], reader?: Reader, once?: boolean): Promise<R[]> =>
    reader && text.includes(rowMark)
      ? queued.read<R>(text, values, once, reader)
      : (reader ? shared : sharedReads).read<R>(text, values, once);
  const readKeyed: NonNullable<Database['readKeyed']> = (text, key, by) => shared.readKeyed(text, key, by);
  const bus = new PostgresBus({ primary, listening }, clock, runQuery);
  const rowChanges = new RowChanges(bus, (text) => run(text, []));
  const changes = () => rowChanges.changes();
  const replicas =
    replicaUrls.length > 0
      ? new PostgresReplicas({
          urls: replicaUrls,
          size: poolSize,
          limits,
          beats: bus.renewals,
          queue: () => createReadQueue(poolSize, readSeconds),
          primary: { db, bus, read, readKeyed, changes },
        })
      : undefined;
  return {
    engine: 'postgres',
    db,
    bus,
    read,
    readFirst: async <R>(text: string, values: readonly unknown[], reader?: Reader, once?: boolean) =>
      (await read<R>(text, values, reader, once))[0],
    readKeyed,
    // A single statement is committed before PostgreSQL responds.
    write: async <R>(text: string, values: readonly unknown[]) => ({
      rows: await run<R>(text, values),
      durable: Promise.resolve(),
    }),
    batchWrite: shareWrites(runQuery),
    direct: (work) => withDirectConnection(listening.current, closing.signal, work),
    now: () => clock.now(),
    changes,
    replicas,
    probes: postgresProbes({ pool, isTaken: isFull, connect: own.connect }),
    connections: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + expensive.waiting,
    }),
    async close() {
      closing.abort();
      for (const way of [primary, listening]) way.close();
      await replicas?.close();
      await bus.close();
      await db.destroy();
      await Promise.all([opened.close(), reserve.close()]);
    },
  };
}
