import pg from 'pg';
import { codeOf, reasonOf } from '../../../platform/errors.ts';
import { readsAlone } from '../servers/look-at-server.ts';
import type { Primary } from '../servers/primary.ts';
import { type Limits, limited } from './limits.ts';
import { poolCloser } from './pool-closer.ts';
import { isAway } from './postgres-errors.ts';
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
  /** Through a pooler that may give each transaction another session of PostgreSQL: nothing outlasts a transaction. */
  readonly byTransaction: boolean;
  readonly limits: Limits;
}

export interface PrimaryPool {
  readonly pool: pg.Pool;
  readonly byTransaction: boolean;
  /** The server that connections go to now. */
  server(): string;
  /** A connection to the primary, which is looked for where it does not answer any more. */
  connect(): Promise<pg.PoolClient>;
  /** Something went wrong in a way that a server shows which is no primary any more. */
  doubt(error: unknown): void;
  close(): Promise<void>;
}

/** A pool whose connections all go to the primary: those to another server are cut as soon as it is another. */
export function openPrimaryPool(primary: Primary, { size, byTransaction, limits }: Options): PrimaryPool {
  class Client extends pg.Client {
    readonly server = primary.current;
    constructor(options?: pg.ClientConfig) {
      super({ ...options, connectionString: primary.current });
    }
  }
  const isElsewhere = (client: pg.ClientBase) => (client as Client).server !== primary.current;
  const pool = new pg.Pool({
    max: size,
    connectionTimeoutMillis: 3000,
    application_name: 'gatehouse',
    keepAlive: true,
    // A connection that nobody uses is found to be cut off before somebody wants it.
    keepAliveInitialDelayMillis: 10_000,
    Client,
    ...(byTransaction ? { pipeline: true } : {}),
    // Not among the parameters of the connection: a pooler in between refuses those that it does not know.
    onConnect: async (client) => {
      const asked = primary.hasChoice ? `select ${readsAlone} as yes` : 'select false as yes';
      const limit = byTransaction
        ? ''
        : `set statement_timeout = ${limits.read}; set idle_in_transaction_session_timeout = ${limits.pause}; `;
      const results = await client.query(limited(limit + asked, limits.timeoutMs));
      const [answer] = [results as pg.QueryResult | pg.QueryResult[]].flat().slice(-1);
      if (answer?.rows[0]?.yes || isElsewhere(client)) throw new NotThePrimary();
    },
  });
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const { close, cut } = poolCloser(pool);
  primary.onMove(() => cut(isElsewhere));
  pool.on('connect', () => cut(isElsewhere));
  pool.on('connect', watchReplication);
  return {
    pool,
    byTransaction,
    server: () => primary.current,
    async connect() {
      try {
        return await pool.connect();
      } catch (error) {
        if (!primary.hasChoice || !isAway(error) || isTaken(error)) throw error;
        await primary.find();
        return await pool.connect();
      }
    },
    doubt(error) {
      if (primary.hasChoice && codeOf(error) === readOnly) primary.find().catch(() => undefined);
    },
    close,
  };
}

/** No connection has come free: that says nothing about the server, and waiting again would take as long again. */
const isTaken = (error: unknown): boolean => reasonOf(error) === 'timeout exceeded when trying to connect';

/** SQLSTATE of a write that the server does not take. */
const readOnly = '25006';

class NotThePrimary extends Error {
  readonly code = readOnly;
  constructor() {
    super('the server is not the primary any more');
  }
}
