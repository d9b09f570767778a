import { sql } from 'kysely';
import { OperatorError } from '../platform/errors.ts';
import { type BeginProgress, noProgress, stepProgress } from '../platform/progress.ts';
import type { Database, Tx } from './database.ts';
import { withMigrationLock } from './locks/migration-lock.ts';
import { columnTypes, type FixedIndex, type Migration, type Report } from './migration.ts';
import { firstTables } from './migrations/001-first-tables.ts';
import { factorSessions } from './migrations/002-factor-sessions.ts';
import { findMissing } from './without-table-locks.ts';

/** The migrations in order. A released migration is never edited. CONTRIBUTING.md has the rules for new ones, and a test checks them. */
export const migrations: readonly Migration[] = [firstTables, factorSessions];

/**
 * Recorded as a migration while `gatehouse move` copies rows. Its name looks like a contracting migration of a newer version, so no version
 * starts on an incomplete copy.
 */
export const unfinishedMoveMarker = '000-contract-move-not-finished';

export const knownMigrations: readonly string[] = migrations.map(({ name }) => name);

/** The names of the migrations that `migrate` would run. Changes nothing. */
export async function pendingMigrations({ engine, db }: Pick<Database, 'engine' | 'db'>): Promise<string[]> {
  const migrationsTableCount =
    engine === 'sqlite'
      ? sql<{ n: number }>`select count(*) as n from sqlite_master where type = 'table' and name = 'migrations'`
      : sql<{
          n: number;
        }>`select count(*) as n from pg_tables where schemaname = current_schema() and tablename = 'migrations'`;
  const { rows } = await migrationsTableCount.execute(db);
  if (rows[0]?.n === 0) return [...knownMigrations];
  const applied = (await db.selectFrom('migrations').select('name').execute()).map(({ name }) => name);
  rejectNewer(applied);
  return knownMigrations.filter((name) => !applied.includes(name));
}

/** Whether the migration removes something that an earlier version needs. All other migrations only add. */
const isContracting = (name: string): boolean => /^\d+-contract-/.test(name);

/** Throws if a newer version has contracted the schema. Returns the newer migrations that this version can run with. */
export function rejectNewer(applied: readonly string[]): string[] {
  if (applied.includes(unfinishedMoveMarker)) {
    throw new OperatorError(
      'A move into this database is not finished, so some rows are missing. Run the same `npx gatehouse-server move` command again.',
    );
  }
  const unknown = applied.filter((name) => !knownMigrations.includes(name));
  const contracting = unknown.filter(isContracting);
  if (contracting.length === 0) return unknown;
  throw new OperatorError(
    `A newer Gatehouse has migrated this database and removed something that this version needs (${contracting.join(', ')}). Start the newer version, or restore a backup from before the migration.`,
  );
}

/** Runs the pending migrations and returns their names. Then the instance joins the bus. */
export async function migrate(
  database: Database,
  now: () => number = database.now,
  report: Report = () => undefined,
  progress: BeginProgress = noProgress,
): Promise<string[]> {
  const ran: string[] = [];
  const steps = stepProgress(progress);
  const run = (tx: Tx) => runPending(database, tx, now, steps.next);
  let result: Awaited<ReturnType<typeof runPending>>;
  try {
    do {
      result = await withMigrationLock(database, run);
      ran.push(...result.names);
    } while (result.hasMore);
  } finally {
    steps.end();
  }
  if (result.newer.length > 0)
    report(`A newer Gatehouse has migrated this database (${result.newer.join(', ')}). This version continues to run.`);
  await database.bus.join();
  return ran;
}

/** The indexes for `createMissingIndexes`. `migrate` does not create them, because a service can start without them. */
export const findMissingIndexes = (database: Database): Promise<FixedIndex[]> =>
  findMissing(
    database,
    migrations.flatMap((migration) => migration.indexes ?? []),
  );

/** Runs one migration per transaction, so that locks are short. A new database gets all of them at once. */
export async function runPending(
  { engine }: Pick<Database, 'engine'>,
  tx: Tx,
  now: () => number,
  onBegin: (name: string, pending: number) => void = () => undefined,
) {
  const types = columnTypes(engine);
  await sql
    .raw(`create table if not exists migrations (name ${types.text} primary key, applied_at ${types.bigint} not null)`)
    .execute(tx);
  const applied = new Set((await tx.selectFrom('migrations').select('name').execute()).map(({ name }) => name));
  const newer = rejectNewer([...applied]);
  const pending = migrations.filter(({ name }) => !applied.has(name));
  const next = applied.size === 0 ? pending : pending.slice(0, 1);
  for (const migration of next) {
    onBegin(migration.name, pending.length);
    for (const statement of migration.statements(types)) await sql.raw(statement).execute(tx);
    // On PostgreSQL, `createMissingIndexes` creates indexes on existing tables without locking them.
    const indexes = engine === 'sqlite' || applied.size === 0 ? (migration.indexes ?? []) : [];
    for (const { name, on } of indexes) await sql.raw(`create index ${name} on ${on}`).execute(tx);
    await migration.change?.(tx);
    await tx.insertInto('migrations').values({ name: migration.name, applied_at: now() }).execute();
  }
  return { names: next.map(({ name }) => name), newer, hasMore: next.length < pending.length };
}
