import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { withoutTableLocks } from '../../database/without-table-locks.ts';
import { readSchemas } from './schema-store.ts';

interface Unlooked {
  readonly table: string;
  readonly name: string;
}

/** On PostgreSQL: validates references without locking the tables. If a row violates a reference, the next start tries again. */
export async function validateReferences(
  database: Database,
  note: (line: string) => void = () => undefined,
): Promise<void> {
  if (database.engine === 'sqlite') return;
  const tables = [...(await readSchemas(database.db)).values()].map(({ table }) => table);
  const { rows } = await sql<Unlooked>`select relname as "table", conname as name from pg_constraint
    join pg_class on pg_class.oid = conrelid
    where contype = 'f' and not convalidated and relnamespace = current_schema()::regnamespace
      and relname = any(${tables})`.execute(database.db);
  if (rows.length === 0) return;
  await withoutTableLocks(database, async (db) => {
    for (const { table, name } of rows) {
      await sql`alter table ${sql.ref(table)} validate constraint ${sql.ref(name)}`
        .execute(db)
        .catch((error: Error) => note(`Rows of "${table}" break a reference that is declared: ${error.message}`));
    }
  });
}
