import pg from 'pg';
import { codeOf, reasonOf, unavailable } from '../../../platform/errors.ts';
import type { Primary } from '../servers/primary.ts';
import { isReadOnlySql } from '../servers/server-state.ts';
import type { Limits } from './limits.ts';
import { poolCloser } from './pool-closer.ts';
import { isConnectionError } from './postgres-errors.ts';
import { watchReplication } from './unreplicated.ts';

/** Parts of the driver that its types leave out. */
declare module 'pg' {
  interface ClientBase {
    readonly processID: number;
    readonly secretKey: number;
    readonly connection: pg.Connection;
    cancel(client: { processID: number; secretKey: number; activeQuery: undefined }, query: undefined): void;
  }
  interface Connection {
    readonly parsedStatements: Record<string, unknown>;
  }
  interface QueryConfig {
    /** Milliseconds. */
    query_timeout?: number;
  }
}

interface Options {
  readonly size: number;
  /** Connections go through a transaction pooler, so no session state lasts longer than a transaction. */
  readonly transactionPooler: boolean;
  readonly limits: Limits;
}

export type PrimaryPool = ReturnType<typeof openPrimaryPool>;

/** A pool of connections to the primary. If another server becomes the primary, connections to the old one are closed. */
export function openPrimaryPool(primary: Primary, { size, transactionPooler, limits }: Options) {
  class Client extends pg.Client {
    readonly server = primary.current;
    constructor(options?: pg.ClientConfig) {
      super({ ...options, connectionString: primary.current });
    }
  }
  const isFormerPrimary = (client: pg.ClientBase) => client instanceof Client && client.server !== primary.current;
  const pool = new pg.Pool({
    max: size,
    connectionTimeoutMillis: 3000,
    application_name: 'gatehouse',
    keepAlive: true,
    // Detects a broken idle connection before its next use.
    keepAliveInitialDelayMillis: 10_000,
    Client,
    ...(transactionPooler ? { pipeline: true } : {}),
    // Not set as connection parameters, because poolers reject unknown ones.
    onConnect: async (client) => {
      const readOnlySql = primary.hasChoice ? `select ${isReadOnlySql} as yes` : 'select false as yes';
      const limit = transactionPooler
        ? ''
        : `set statement_timeout = ${limits.readMs}; set idle_in_transaction_session_timeout = ${limits.idleInTransactionMs}; `;
      const results = await client.query({ text: limit + readOnlySql, query_timeout: limits.timeoutMs });
      const [response] = [results].flat().slice(-1);
      if (response?.rows[0]?.yes || isFormerPrimary(client)) throw new NotThePrimary();
    },
  });
  // A broken idle connection is replaced at its next use. Without a listener, the error would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const { close, disconnect } = poolCloser(pool);
  primary.onFailover(() => disconnect(isFormerPrimary));
  pool.on('connect', () => disconnect(isFormerPrimary));
  pool.on('connect', watchReplication);
  return {
    pool,
    transactionPooler,
    server: () => primary.current,
    /** Returns a connection to the primary. If the server does not respond, looks for the primary first. */
    async connect(): Promise<pg.PoolClient> {
      try {
        return await pool.connect();
      } catch (error) {
        if (!primary.hasChoice || !isConnectionError(error) || isPoolTimeout(error)) throw error;
        await primary.find();
        return await pool.connect();
      }
    },
    checkPrimary(error: unknown): void {
      if (primary.hasChoice && codeOf(error) === readOnlySqlState) primary.find().catch(() => undefined);
    },
    close,
  };
}

/** All connections of the pool were busy. This is no sign of a failed server, and a second attempt would wait just as long. */
const isPoolTimeout = (error: unknown): boolean => reasonOf(error) === 'timeout exceeded when trying to connect';

/** SQLSTATE of a write that the server refuses. */
const readOnlySqlState = '25006';

class NotThePrimary extends Error {
  readonly code = readOnlySqlState;
  constructor() {
    super('the server is not the primary any more');
  }
}

/** The number of extra connections. They are opened only while the whole pool is in use. */
export const reserveSize = 2;

/** If no connection of the pool was acquired or released for this long, further requests fail at once. */
const stuckMs = 1000;
const maxWaitingPerConnection = 100;

/** The pool for all requests, and connections for the service's own queries: token checks and health checks. */
export function withReserve(main: PrimaryPool, reserve: PrimaryPool, size: number) {
  const { pool } = main;
  let lastActivityAt = performance.now();
  const recordActivity = () => {
    lastActivityAt = performance.now();
  };
  pool.on('acquire', recordActivity);
  pool.on('release', recordActivity);
  const isFull = () => pool.totalCount >= size && pool.idleCount === 0;
  const isStuck = () => isFull() && pool.waitingCount > 0 && performance.now() - lastActivityAt > stuckMs;
  const connect = async (): Promise<pg.PoolClient> => {
    if (isStuck() || pool.waitingCount >= maxWaitingPerConnection * size) throw exhausted();
    return main.connect();
  };
  return {
    /** For all requests. Fails at once if waiting would be pointless. */
    requestPool: { ...main, connect } satisfies PrimaryPool,
    /** Uses the pool while it has a free connection, otherwise the reserve. */
    reserved: { connect: () => (isFull() ? reserve : main).connect() },
    isFull,
  };
}

const exhausted = () =>
  unavailable('The database has no free connection at the moment. Try again shortly.', 1, 'the pool is exhausted');

/** Runs one statement. After a failure, the connection is closed, because its state is unknown. */
export async function queryOnce(connect: () => Promise<pg.PoolClient>, query: pg.QueryConfig): Promise<pg.QueryResult> {
  const client = await connect();
  let failed = true;
  try {
    const result = await client.query(query);
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}
