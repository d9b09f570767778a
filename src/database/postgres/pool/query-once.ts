import type pg from 'pg';

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
