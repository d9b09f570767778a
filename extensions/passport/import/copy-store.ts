import { sql } from 'kysely';
import type { Database } from '../../../src/database/database.ts';

/** Tables in the order of their references, with the key columns. */
const tables: readonly [table: string, key: readonly string[]][] = [
  ['users', ['id']],
  ['clients', ['id']],
  ['client_secrets', ['id']],
  ['sessions', ['id']],
  ['legacy_tokens', ['id']],
  ['legacy_ids', ['source', 'old_id']],
  ['legacy_passes', ['id']],
];
const batch = 500;

type Row = Record<string, unknown>;

/** Copies the tables that an import reads. Tables that do not exist in an earlier version stay empty. */
export async function copyTables(from: Database, to: Database): Promise<void> {
  for (const [table, key] of tables) {
    let last: Row | undefined;
    for (;;) {
      const rows = await read(from, table, key, last);
      if (rows.length > 0) {
        await to.db.withTables<Record<string, Row>>().insertInto(table).values(rows).execute();
      }
      if (rows.length < batch) break;
      last = rows.at(-1);
    }
  }
}

async function read({ db }: Database, table: string, key: readonly string[], last: Row | undefined): Promise<Row[]> {
  const names = sql.join(key.map((name) => sql.ref(name)));
  const after = last ? sql`where (${names}) > (${sql.join(key.map((name) => last[name]))})` : sql``;
  try {
    return (await sql<Row>`select * from ${sql.table(table)} ${after} order by ${names} limit ${batch}`.execute(db))
      .rows;
  } catch (error) {
    if (last) throw error;
    return [];
  }
}
