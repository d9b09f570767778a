import type { Insertable, Kysely } from 'kysely';
import type { Db } from './db.ts';
import type { Tables } from './tables/tables.ts';

/** Inserts a row unless another row has the same values in these columns. One statement: of two concurrent inserts, one returns true. */
export async function insertIfAbsent<T extends keyof Tables & string>(
  db: Db,
  table: T,
  row: Insertable<Tables[T]>,
  ...columns: (keyof Tables[T] & string)[]
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await (db as Kysely<Record<string, Record<string, unknown>>>)
    .insertInto(table)
    .values(row)
    .onConflict((conflict) => conflict.columns(columns).doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
