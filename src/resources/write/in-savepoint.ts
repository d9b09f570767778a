import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';

/** Runs work that is undone where it throws, while the transaction goes on. `depth` names it among those around it. */
export async function inSavepoint<T>(tx: Tx, depth: number, work: () => Promise<T>): Promise<T> {
  const name = `"gatehouse_write_${depth}"`;
  await sql.raw(`savepoint ${name}`).execute(tx);
  try {
    const result = await work();
    await sql.raw(`release savepoint ${name}`).execute(tx);
    return result;
  } catch (error) {
    await sql.raw(`rollback to savepoint ${name}`).execute(tx);
    await sql.raw(`release savepoint ${name}`).execute(tx);
    throw error;
  }
}
