import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { OperatorError } from '../../platform/errors.ts';
import { ConnectionDriver } from '../connection-driver.ts';
import type { Database, Replicas } from '../database.ts';
import { FairQueue } from '../fair-queue.ts';
import { combineReaders, type Reader } from '../reader.ts';
import { rowMark } from '../sqlite/row-mark.ts';
import type { Tables } from '../tables/tables.ts';
import { RowChanges } from './batching/row-changes.ts';
import { SharedReads, shareWrites } from './batching/shared-statements.ts';
import { checkInvalidations } from './invalidations/check-invalidations.ts';
import { DatabaseClock } from './invalidations/database-clock.ts';
import type { LeaseRenewals } from './invalidations/lease.ts';
import { PostgresBus, type Servers } from './invalidations/postgres-bus.ts';
import { cancelOnAbort } from './pool/cancel-on-abort.ts';
import { type Connection, connect } from './pool/connection.ts';
import { withDirectConnection } from './pool/direct-connection.ts';
import { type Limits, limitsOf } from './pool/limits.ts';
import { openPrimaryPool, reserveSize, withReserve } from './pool/primary-pool.ts';
import { postgresProbes } from './postgres-probes.ts';
import { Primary } from './servers/primary.ts';

// Whole numbers here are counts and milliseconds, all below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Checks the connection at startup and throws an error for the operator. Later, the service waits for an unreachable database. */
async function checkConnection({ primary, listening }: Servers, clock: DatabaseClock): Promise<void> {
  let setting = 'DATABASE_URL';
  try {
    await primary.find();
    const hasListenUrl = listening !== primary;
    if (hasListenUrl) {
      setting = 'DATABASE_LISTEN_URL';
      await listening.find();
      setting = 'DATABASE_URL and DATABASE_LISTEN_URL';
    }
    await checkInvalidations({ server: primary.current, listen: hasListenUrl ? listening.current : undefined, clock });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `${primary.describeFailure(error)} Check ${setting} (host, port, user, password and name), and that the server runs.`,
    );
  }
}

/** Limits expensive reads, so that connections remain for other reads and for other callers. */
function createReadQueue(poolSize: number, seconds: number): FairQueue {
  const concurrency = Math.max(1, Math.floor(poolSize * 0.6));
  return new FairQueue({
    concurrency,
    concurrencyPerCaller: Math.max(1, Math.floor(concurrency / 2)),
    maxWaiting: 500,
    maxWaitingPerCaller: 50,
    timeoutSeconds: seconds,
  });
}

type Run = <R>(text: string, values: readonly unknown[], isAdHoc?: boolean) => Promise<R[]>;

interface Options {
  readonly url: string;
  /** The address without the transaction pooler that `url` uses. */
  readonly listenUrl: string;
  readonly poolSize: number;
  readonly readSeconds: number;
  readonly replicaUrls: readonly string[];
  readonly openReplicas: OpenReplicas | undefined;
}

export interface ReplicaOptions {
  readonly urls: readonly string[];
  readonly size: number;
  readonly limits: Limits;
  readonly renewals: LeaseRenewals;
  readonly queue: () => FairQueue;
  /** Serves the reads that a replica cannot serve. */
  readonly primary: Pick<Database, 'db' | 'bus' | 'read' | 'changes'> & {
    readonly readKeyed: NonNullable<Database['readKeyed']>;
  };
}

export type OpenReplicas = (options: ReplicaOptions) => Promise<Replicas & { close(): Promise<void> }>;

export async function openPostgres(options: Options): Promise<Database> {
  const { url, listenUrl, poolSize, readSeconds, replicaUrls, openReplicas } = options;
  const limits = limitsOf(readSeconds);
  const primary = new Primary(url);
  const listening = listenUrl === '' ? primary : new Primary(listenUrl);
  const clock = new DatabaseClock();
  await checkConnection({ primary, listening }, clock);
  const transactionPooler = listening !== primary;
  const mainPool = openPrimaryPool(primary, { size: poolSize, transactionPooler, limits });
  const reservePool = openPrimaryPool(primary, { size: reserveSize, transactionPooler, limits });
  const { pool } = mainPool;
  const { requestPool, reserved, isFull } = withReserve(mainPool, reservePool, poolSize);
  const servicePool = { ...requestPool, ...reserved };
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new ConnectionDriver(() => connect(requestPool, limits)),
      createIntrospector: (inner) => new PostgresIntrospector(inner),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  for (const server of new Set([primary, listening])) server.watch();
  const runOn = async <R>(
    connecting: Promise<Connection>,
    text: string,
    values: readonly unknown[],
    { isAdHoc = false, signal }: { isAdHoc?: boolean | undefined; signal?: AbortSignal } = {},
  ): Promise<R[]> => {
    const connection = await connecting;
    const awaitCancellation = signal
      ? cancelOnAbort(signal, { pool: mainPool, reserved }, connection.client)
      : undefined;
    try {
      signal?.throwIfAborted();
      return (await connection.query(text, [...values], isAdHoc ? 'if-repeated' : true)).rows;
    } finally {
      await awaitCancellation?.();
      connection.release();
    }
  };
  const runForRequest: Run = (text, values, isAdHoc) => runOn(connect(requestPool, limits), text, values, { isAdHoc });
  const runForService: Run = (text, values, isAdHoc) => runOn(connect(servicePool, limits), text, values, { isAdHoc });
  const closing = new AbortController();
  const expensiveQueue = createReadQueue(poolSize, readSeconds);
  const requestReads = new SharedReads(runForRequest);
  const serviceReads = new SharedReads(runForService);
  // Identical reads of one caller take one place in the queue.
  const expensiveReads = new SharedReads((text, values, isAdHoc, readers) =>
    expensiveQueue.run(combineReaders(readers), (signal) =>
      runOn(connect(requestPool, limits), text, values, { isAdHoc, signal }),
    ),
  );
  const read = <R>(text: string, values: readonly unknown[], reader?: Reader, isAdHoc?: boolean): Promise<R[]> =>
    reader && text.includes(rowMark)
      ? expensiveReads.read<R>(text, values, isAdHoc, reader)
      : (reader ? requestReads : serviceReads).read<R>(text, values, isAdHoc);
  const readKeyed: NonNullable<Database['readKeyed']> = (text, key, keyColumn) =>
    requestReads.readKeyed(text, key, keyColumn);
  const bus = new PostgresBus({ primary, listening }, clock, runForService);
  const rowChanges = new RowChanges(bus, (text) => runForRequest(text, []));
  const changes = () => rowChanges.changes();
  const replicas =
    replicaUrls.length > 0
      ? await openReplicas?.({
          urls: replicaUrls,
          size: poolSize,
          limits,
          renewals: bus.renewals,
          queue: () => createReadQueue(poolSize, readSeconds),
          primary: { db, bus, read, readKeyed, changes },
        })
      : undefined;
  return {
    engine: 'postgres',
    db,
    bus,
    read,
    readFirst: async <R>(text: string, values: readonly unknown[], reader?: Reader, isAdHoc?: boolean) =>
      (await read<R>(text, values, reader, isAdHoc))[0],
    readKeyed,
    // A single statement is committed before PostgreSQL responds.
    write: async <R>(text: string, values: readonly unknown[]) => ({
      rows: await runForRequest<R>(text, values),
      durable: Promise.resolve(),
    }),
    batchWrite: shareWrites(runForService),
    direct: (work) => withDirectConnection(listening.current, closing.signal, work),
    now: () => clock.now(),
    changes,
    replicas,
    probes: postgresProbes({ pool, isPoolFull: isFull, connect: reserved.connect }),
    connections: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + expensiveQueue.waiting,
    }),
    async close() {
      closing.abort();
      for (const server of [primary, listening]) server.close();
      await replicas?.close();
      await bus.close();
      await db.destroy();
      await Promise.all([mainPool.close(), reservePool.close()]);
    },
  };
}
