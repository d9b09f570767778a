import type { DatabaseConnection, Driver } from 'kysely';

interface OwnConnection extends DatabaseConnection {
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  release(): void;
}

/** The driver of Kysely for connections that run transactions themselves. */
export class ConnectionDriver implements Driver {
  readonly acquireConnection: () => Promise<OwnConnection>;

  constructor(open: () => Promise<OwnConnection>) {
    this.acquireConnection = open;
  }

  async init(): Promise<void> {}
  beginTransaction(connection: OwnConnection): Promise<void> {
    return connection.begin();
  }
  commitTransaction(connection: OwnConnection): Promise<void> {
    return connection.commit();
  }
  rollbackTransaction(connection: OwnConnection): Promise<void> {
    return connection.rollback();
  }
  async releaseConnection(connection: OwnConnection): Promise<void> {
    connection.release();
  }
  async destroy(): Promise<void> {}
}
