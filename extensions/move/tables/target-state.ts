import { rmSync } from 'node:fs';
import { sql } from 'kysely';
import type { Db } from '../../../src/database/database.ts';
import { knownMigrations, unfinishedMoveMarker } from '../../../src/database/migrate.ts';
import { openDatabase } from '../../../src/database/open-database.ts';
import { OperatorError } from '../../../src/platform/errors.ts';
import { openReadOnly, type ReadOnlyDatabase } from '../../doctor/open-read-only.ts';
import { fileOf, type Location } from './open-tables.ts';
import { type MoveState, parseMoveState } from './progress-table.ts';
import { quote } from './tables.ts';

/** The state of an interrupted move into this database. Undefined if the database is empty. Any other content is rejected. */
export async function readTargetState(location: Location): Promise<MoveState | undefined> {
  const database = await openReadOnly(location);
  if (!database) return undefined;
  try {
    const names = await tableNames(database);
    if (names.length === 0) return undefined;
    const applied = names.includes('migrations') ? await migrationsOf(database.db) : [];
    if (!applied.includes(unfinishedMoveMarker))
      throw new OperatorError(await describeContents(database.db, names, applied));
    const { rows } = await sql<{ position: string }>`select position from move_progress where name = ''`.execute(
      database.db,
    );
    if (!isThisVersion(applied.filter((name) => name !== unfinishedMoveMarker))) {
      throw new OperatorError(
        'Another version of Gatehouse started a move into this database. Continue with that version, or add --start-over.',
      );
    }
    return parseMoveState(rows[0]?.position);
  } finally {
    await database.close();
  }
}

const isThisVersion = (applied: readonly string[]): boolean =>
  applied.length === knownMigrations.length && knownMigrations.every((name) => applied.includes(name));

const migrationsOf = async (db: Db): Promise<string[]> =>
  (await db.selectFrom('migrations').select('name').execute()).map(({ name }) => name);

async function tableNames({ engine, db }: Pick<ReadOnlyDatabase, 'engine' | 'db'>): Promise<string[]> {
  const list =
    engine === 'sqlite'
      ? sql<{
          name: string;
        }>`select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema() order by 1`;
  return (await list.execute(db)).rows.map(({ name }) => name);
}

async function describeContents(db: Db, names: readonly string[], applied: readonly string[]): Promise<string> {
  const counts: [string, number][] = [];
  for (const name of names) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(db);
    if (Number(rows[0]?.n) > 0) counts.push([name, Number(rows[0]?.n)]);
  }
  counts.sort(([, a], [, b]) => b - a);
  const version =
    applied.length === 0 ? '' : isThisVersion(applied) ? ' of Gatehouse' : ' of another version of Gatehouse';
  const contents =
    counts.length === 0
      ? 'no rows'
      : `rows in ${counts
          .slice(0, 12)
          .map(([name, n]) => `${name} (${n})`)
          .join(', ')}`;
  const more = counts.length > 12 ? ` and ${counts.length - 12} more` : '';
  return `The target is not empty: it has ${names.length} tables${version}, with ${contents}${more}. Name an empty database.`;
}

/** Removes the data of an interrupted move. */
export async function emptyTarget(location: Location): Promise<void> {
  const path = fileOf(location);
  if (path !== undefined) {
    for (const rest of ['', '-wal', '-shm']) rmSync(path + rest, { force: true });
    return;
  }
  const database = await openDatabase({ ...location, databasePoolSize: 2 });
  try {
    await database.db.transaction().execute(async (tx) => {
      const names = await tableNames({ engine: 'postgres', db: tx });
      if (names.length > 0) await sql.raw(`drop table ${names.map(quote).join(', ')}`).execute(tx);
      // The first migration creates them again.
      await sql`drop sequence if exists row_changes, change_log_position`.execute(tx);
      await sql`drop function if exists count_row_changes()`.execute(tx);
    });
  } finally {
    await database.close();
  }
}
