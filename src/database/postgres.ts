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
import { Problem, unavailable } from '../errors.ts';
import type { Database } from './database.ts';
import { PostgresBus } from './postgres-bus.ts';
import type { Tables } from './tables.ts';

// Whole numbers here are counts and milliseconds, all below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** SQLSTATE classes and socket errors that mean "not now": the caller is asked to come back. */
const awayCodes = /^(08...|57P0[1-5]|53300|53400|ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOENT)$/;
const awayMessages =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/;

function translate(error: unknown): unknown {
  if (error instanceof Problem) return error;
  const { code, message } = error as { code?: string; message?: string };
  if (awayCodes.test(code ?? '') || awayMessages.test(message ?? '')) {
    return unavailable('The database cannot be reached at the moment. Try again shortly.', 5, message);
  }
  return error;
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

  constructor(client: pg.PoolClient) {
    this.client = client;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const isData = query.query.kind !== 'RawNode' && /^(select|insert|update|delete)/.test(query.sql);
    const name = isData ? nameOf(query.sql) : undefined;
    try {
      const result = await this.client.query({
        text: query.sql,
        values: query.parameters as unknown[],
        ...(name ? { name } : {}),
      });
      return { rows: (result.rows ?? []) as R[], numAffectedRows: BigInt(result.rowCount ?? 0) };
    } catch (error) {
      throw translate(error);
    }
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield await Promise.reject(new Error('streaming is not used here: page by key instead'));
  }

  async run(text: string): Promise<void> {
    try {
      await this.client.query(text);
    } catch (error) {
      throw translate(error);
    }
  }
}

class PostgresDriver implements Driver {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    try {
      return new Connection(await this.#pool.connect());
    } catch (error) {
      throw translate(error);
    }
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
    (connection as Connection).client.release();
  }
  async destroy(): Promise<void> {}
}

export async function openPostgres(url: string, poolSize: number): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 3000,
    application_name: 'gatehouse',
    keepAlive: true,
  });
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new PostgresDriver(pool),
      createIntrospector: (inner) => new PostgresIntrospector(inner),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const bus = new PostgresBus(url);
  await bus.listen();
  return {
    engine: 'postgres',
    db,
    bus,
    async read<R>(text: string, values: readonly unknown[]) {
      const name = nameOf(text);
      try {
        const { rows } = await pool.query({ text, values: [...values], ...(name ? { name } : {}) });
        return rows as R[];
      } catch (error) {
        throw translate(error);
      }
    },
    ping: async () => {
      await pool.query('select 1').catch((error) => {
        throw translate(error);
      });
    },
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await bus.close();
      await db.destroy();
      await pool.end();
    },
  };
}
