import type { DatabaseConnection, Driver } from 'kysely';

interface TransactionalConnection extends DatabaseConnection {
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  release(): void;
}

/** The driver of Kysely for connections that run transactions themselves. */
export class ConnectionDriver implements Driver {
  readonly acquireConnection: () => Promise<TransactionalConnection>;

  constructor(open: () => Promise<TransactionalConnection>) {
    this.acquireConnection = open;
  }

  async init(): Promise<void> {}
  beginTransaction(connection: TransactionalConnection): Promise<void> {
    return connection.begin();
  }
  commitTransaction(connection: TransactionalConnection): Promise<void> {
    return connection.commit();
  }
  rollbackTransaction(connection: TransactionalConnection): Promise<void> {
    return connection.rollback();
  }
  async releaseConnection(connection: TransactionalConnection): Promise<void> {
    connection.release();
  }
  async destroy(): Promise<void> {}
}
