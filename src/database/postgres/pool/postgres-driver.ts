import type { DatabaseConnection, Driver } from 'kysely';
import { Connection } from './connection.ts';
import type { Limits } from './limits.ts';
import { toProblem } from './postgres-errors.ts';
import type { PrimaryPool } from './primary-pool.ts';

export async function connect(pool: PrimaryPool, limits: Limits): Promise<Connection> {
  try {
    return new Connection(await pool.connect(), limits, pool);
  } catch (error) {
    throw toProblem(error);
  }
}

export class PostgresDriver implements Driver {
  readonly #connect: () => Promise<Connection>;

  constructor(open: () => Promise<Connection>) {
    this.#connect = open;
  }

  async init(): Promise<void> {}
  acquireConnection(): Promise<DatabaseConnection> {
    return this.#connect();
  }
  beginTransaction(connection: Connection): Promise<void> {
    return connection.run('begin');
  }
  commitTransaction(connection: Connection): Promise<void> {
    return connection.run('commit');
  }
  rollbackTransaction(connection: Connection): Promise<void> {
    return connection.run('rollback');
  }
  async releaseConnection(connection: Connection): Promise<void> {
    const { client, unusable } = connection;
    client.release(unusable);
  }
  async destroy(): Promise<void> {}
}
