import { sql } from 'kysely';
import { OperatorError } from '../errors.ts';
import type { Database, Tx } from './database.ts';
import { columnTypes, type Migration, type Report } from './migration.ts';
import { firstTables } from './migrations/001-first-tables.ts';
import { partialSessionIndexes } from './migrations/002-partial-session-indexes.ts';
import { firstUses } from './migrations/003-first-uses.ts';
import { instances } from './migrations/004-instances.ts';
import { keysOfSecrets } from './migrations/005-keys-of-secrets.ts';
import { accounts } from './migrations/006-accounts.ts';
import { knownSettings } from './migrations/009-known-settings.ts';
import { attemptsUnderWay } from './migrations/010-attempts-under-way.ts';
import { emailsInOneForm } from './migrations/010-emails-in-one-form.ts';
import { legacyTokens } from './migrations/011-legacy-tokens.ts';
import { jobs } from './migrations/012-jobs.ts';
import { applications } from './migrations/013-applications.ts';
import { authorization } from './migrations/014-authorization.ts';
import { applicationLogins } from './migrations/015-application-logins.ts';
import { clientRegistrations } from './migrations/016-client-registrations.ts';
import { devices } from './migrations/017-devices.ts';
import { ownMigrations } from './migrations/018-own-migrations.ts';
import { news } from './migrations/019-news.ts';
import { activity } from './migrations/023-activity.ts';
import { timeZones } from './migrations/025-time-zones.ts';
import { mcpCalls } from './migrations/027-mcp-calls.ts';

/** In order; a released one is never edited. */
const migrations: readonly Migration[] = [
  firstTables,
  partialSessionIndexes,
  firstUses,
  instances,
  keysOfSecrets,
  accounts,
  knownSettings,
  attemptsUnderWay,
  emailsInOneForm,
  legacyTokens,
  jobs,
  applications,
  authorization,
  applicationLogins,
  clientRegistrations,
  devices,
  ownMigrations,
  news,
  activity,
  timeZones,
  mcpCalls,
];

export const knownMigrations: readonly string[] = migrations.map(({ name }) => name);

/** Any number: it names the lock that instances starting together queue for. */
const migrationLock = 7_146_352;

/** Runs work in a transaction that no other instance's migration can run beside. */
export async function underMigrationLock<T>({ engine, db }: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    // On SQLite the write transaction itself is the lock.
    if (engine === 'postgres') {
      // Changes of tables take as long as they take, and so does waiting for those of another instance.
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx);
    }
    return work(tx);
  });
}

/** What `migrate` would do: the names of the migrations that are missing. Changes nothing. */
export async function pendingMigrations({ engine, db }: Pick<Database, 'engine' | 'db'>): Promise<string[]> {
  const exists =
    engine === 'sqlite'
      ? sql<{ n: number }>`select count(*) as n from sqlite_master where type = 'table' and name = 'migrations'`
      : sql<{
          n: number;
        }>`select count(*) as n from pg_tables where schemaname = current_schema() and tablename = 'migrations'`;
  const { rows } = await exists.execute(db);
  if (rows[0]?.n === 0) return [...knownMigrations];
  const applied = (await db.selectFrom('migrations').select('name').execute()).map(({ name }) => name);
  refuseNewer(applied);
  return knownMigrations.filter((name) => !applied.includes(name));
}

function refuseNewer(applied: readonly string[]): void {
  const unknown = applied.filter((name) => !knownMigrations.includes(name));
  if (unknown.length === 0) return;
  throw new OperatorError(
    `This database was migrated by a newer Gatehouse (${unknown.join(', ')}). Start that version, or restore a backup taken before it.`,
  );
}

/** Brings the fixed tables up to date and returns the names of the migrations it ran. Then the instance takes part. */
export async function migrate(
  database: Database,
  now: () => number = database.now,
  report: Report = () => undefined,
): Promise<string[]> {
  const types = columnTypes(database.engine);
  const ran = await underMigrationLock(database, async (tx) => {
    await sql
      .raw(
        `create table if not exists migrations (name ${types.text} primary key, applied_at ${types.bigint} not null)`,
      )
      .execute(tx);
    const applied = new Set((await tx.selectFrom('migrations').select('name').execute()).map(({ name }) => name));
    refuseNewer([...applied]);
    const pending = migrations.filter(({ name }) => !applied.has(name));
    for (const migration of pending) {
      for (const statement of migration.statements(types)) await sql.raw(statement).execute(tx);
      await migration.change?.(tx, report);
      await tx.insertInto('migrations').values({ name: migration.name, applied_at: now() }).execute();
    }
    return pending.map(({ name }) => name);
  });
  await database.bus.join();
  return ran;
}
