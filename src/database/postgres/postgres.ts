import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import pg from 'pg';
import { OperatorError, unavailable } from '../../errors.ts';
import type { Database } from '../database.ts';
import { FairQueue, tookTooLong } from '../fair-queue.ts';
import type { Reader } from '../reader.ts';
import { rowMark } from '../sqlite/row-mark.ts';
import type { Tables } from '../tables.ts';
import { CarriedClock } from './carried-clock.ts';
import { oldestVersion, readServer } from './instance-table.ts';
import { PostgresBus } from './postgres-bus.ts';
import { isAway, isCanceled, isStalePlan, translate } from './postgres-errors.ts';
import { postgresProbes } from './postgres-probes.ts';
import { Primary } from './primary.ts';
import { openPrimaryPool, type PrimaryPool } from './primary-pool.ts';
import { placeOf } from './servers-of.ts';
import { SharedReads } from './shared-reads.ts';
import { SharedWrites } from './shared-writes.ts';
import { refuseUnreplicated } from './unreplicated.ts';

// Whole numbers here are counts and milliseconds, all below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Milliseconds. */
interface Limits {
  /** What a statement outside of transactions may take, which nearly always is a read: the server ends it. */
  readonly read: number;
  /** What a statement of a transaction may take. */
  readonly inTransactions: number;
  /** A server that has not answered until then, without closing the connection, is as good as gone. */
  readonly timeoutMs: number;
}

function limitsOf(readSeconds: number): Limits {
  const read = readSeconds * 1000;
  const inTransactions = Math.max(10_000, read);
  return { read, inTransactions, timeoutMs: inTransactions + 5000 };
}

/** Names the texts of repeated statements, so that PostgreSQL parses and plans each once a connection. */
const statementNames = new Map<string, string>();
function nameOf(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known || statementNames.size >= 500) return known;
  const name = `g${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

class Connection implements DatabaseConnection {
  readonly client: pg.PoolClient;
  /** Must not be used again: it is broken, or holds plans that no longer hold. */
  spent = false;
  readonly #limits: Limits;
  readonly #doubt: PrimaryPool['doubt'];
  #inTransaction = false;

  constructor(client: pg.PoolClient, limits: Limits, doubt: PrimaryPool['doubt']) {
    this.client = client;
    this.#limits = limits;
    this.#doubt = doubt;
  }

  async executeQuery<R>({ query, sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const isData = query.kind !== 'RawNode' && /^(select|insert|update|delete)/.test(sql);
    const { rows, rowCount } = await this.query(sql, parameters as unknown[], isData, isData);
    return { rows: (rows ?? []) as R[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  /** `repeats`: planned once. `limited`: given up here as well. Changes of tables may take as long as they take. */
  async query(text: string, values: unknown[], repeats: boolean, limited = true): Promise<pg.QueryResult> {
    const name = repeats ? nameOf(text) : undefined;
    const limit = limited ? { query_timeout: this.#limits.timeoutMs } : {};
    try {
      const result = await this.client.query({ text, values, ...limit, ...(name ? { name } : {}) });
      refuseUnreplicated(this.client);
      return result;
    } catch (error) {
      this.spent ||= isAway(error) || isStalePlan(error);
      this.#doubt(error);
      if (isCanceled(error) && !this.#inTransaction) throw tookTooLong(this.#limits.read / 1000);
      if (!isStalePlan(error)) throw translate(error);
      if (this.#inTransaction) throw unavailable('The database is being changed. Try again.', 1, 'stale plan');
      return this.client.query({ text, values, ...limit });
    }
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield await Promise.reject(new Error('streaming is not used here: page by key instead'));
  }

  async run(text: 'begin' | 'commit' | 'rollback'): Promise<void> {
    this.#inTransaction = text === 'begin';
    const { inTransactions, timeoutMs } = this.#limits;
    // In the same message as "begin", so that it costs no round trip.
    const limit = text === 'begin' ? `; set local statement_timeout = ${inTransactions}` : '';
    try {
      await this.client.query(limited(text + limit, timeoutMs));
      refuseUnreplicated(this.client);
    } catch (error) {
      // Whether or not it took effect, this connection's transaction is over when the connection is.
      this.spent = true;
      throw translate(error);
    }
  }
}

/** `query_timeout` is read by the driver, though its types leave it out. */
const limited = (text: string, timeoutMs: number): pg.QueryConfig =>
  ({ text, query_timeout: timeoutMs }) as pg.QueryConfig;

async function connect(pool: PrimaryPool, limits: Limits): Promise<Connection> {
  try {
    return new Connection(await pool.connect(), limits, pool.doubt);
  } catch (error) {
    throw translate(error);
  }
}

class PostgresDriver implements Driver {
  readonly #connect: () => Promise<Connection>;

  constructor(open: () => Promise<Connection>) {
    this.#connect = open;
  }

  async init(): Promise<void> {}
  acquireConnection(): Promise<DatabaseConnection> {
    return this.#connect();
  }
  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as Connection).run('begin');
  }
  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as Connection).run('commit');
  }
  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as Connection).run('rollback');
  }
  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const { client, spent } = connection as Connection;
    client.release(spent);
  }
  async destroy(): Promise<void> {}
}

/** At start the operator is there to mend what is wrong; later a database that is away is waited for. */
async function letIn(primary: Primary, pool: pg.Pool, timeoutMs: number, clock: CarriedClock): Promise<void> {
  try {
    await primary.find();
    // Not the first query of a connection, which takes long.
    await pool.query(limited('select 1', timeoutMs));
    const asked = performance.now();
    const { rows } = await pool.query(limited(readServer, timeoutMs));
    clock.set({ time: rows[0].time, asked, answered: performance.now() });
    if (rows[0].version < oldestVersion) throw new Error('it is older than PostgreSQL 13');
  } catch (error) {
    await pool.end();
    throw new OperatorError(
      `The PostgreSQL database at ${primary.servers.map(placeOf).join(', ')} cannot be used: ${(error as Error).message || (error as { code?: string }).code}. Check DATABASE_URL (host, port, user, password and name), and that the server runs.`,
    );
  }
}

/** Reads that may be expensive leave connections to those that are not, and those of one caller to another's. */
function expensiveReads(poolSize: number, seconds: number): FairQueue {
  const atOnce = Math.max(1, Math.floor(poolSize * 0.6));
  return new FairQueue({
    atOnce,
    atOnceForOne: Math.max(1, Math.floor(atOnce / 2)),
    waiting: 500,
    waitingForOne: 50,
    seconds,
  });
}

/** Lets a signal end what a connection is doing. To be waited for before another uses it: it might end that instead. */
function cancelAt(signal: AbortSignal, pool: pg.Pool, client: pg.PoolClient): () => Promise<void> {
  const { processID } = client as unknown as { processID: number };
  let canceled: Promise<unknown> | undefined;
  const cancel = () => {
    canceled = pool.query('select pg_cancel_backend($1)', [processID]).catch(() => undefined);
  };
  signal.addEventListener('abort', cancel, { once: true });
  return async () => {
    signal.removeEventListener('abort', cancel);
    await canceled;
  };
}

export async function openPostgres(url: string, poolSize: number, readSeconds: number): Promise<Database> {
  const limits = limitsOf(readSeconds);
  const primary = new Primary(url);
  const opened = openPrimaryPool(primary, {
    size: poolSize,
    prepare: `set statement_timeout = ${limits.read}`,
    timeoutMs: limits.timeoutMs,
  });
  const { pool } = opened;
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new PostgresDriver(() => connect(opened, limits)),
      createIntrospector: (inner) => new PostgresIntrospector(inner),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const clock = new CarriedClock();
  await letIn(primary, pool, limits.timeoutMs, clock);
  primary.watch();
  const run = async <R>(text: string, values: readonly unknown[], once = false, signal?: AbortSignal): Promise<R[]> => {
    const connection = await connect(opened, limits);
    // To cancel takes another connection.
    const canceled = signal && poolSize > 1 ? cancelAt(signal, pool, connection.client) : undefined;
    try {
      signal?.throwIfAborted();
      return (await connection.query(text, [...values], !once)).rows as R[];
    } finally {
      await canceled?.();
      connection.client.release(connection.spent);
    }
  };
  const expensive = expensiveReads(poolSize, readSeconds);
  const shared = new SharedReads(run);
  const sharedWrites = new SharedWrites(run);
  const read = <R>(text: string, values: readonly unknown[], reader?: Reader, once?: boolean): Promise<R[]> =>
    reader && text.includes(rowMark)
      ? expensive.run(reader, (signal) => run<R>(text, values, once, signal))
      : shared.read<R>(text, values, once);
  const bus = new PostgresBus(primary, clock, run);
  return {
    engine: 'postgres',
    db,
    bus,
    read,
    readFirst: async <R>(text: string, values: readonly unknown[], reader?: Reader, once?: boolean) =>
      (await read<R>(text, values, reader, once))[0],
    readKeyed: (text, key) => shared.readKeyed(text, key),
    // A statement of its own is committed before PostgreSQL answers.
    write: async <R>(text: string, values: readonly unknown[]) => ({
      rows: await run<R>(text, values),
      durable: Promise.resolve(),
    }),
    writeTogether: (text, row) => sharedWrites.write(text, row),
    now: () => clock.now(),
    changes: () => undefined,
    probes: postgresProbes(pool, poolSize, run),
    connections: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + expensive.waiting,
    }),
    async close() {
      primary.close();
      await bus.close();
      await db.destroy();
      await opened.close();
    },
  };
}
