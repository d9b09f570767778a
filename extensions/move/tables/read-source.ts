import { hash } from 'node:crypto';
import type { Db } from '../../../src/database/database.ts';
import { knownMigrations, pendingMigrations } from '../../../src/database/migrate.ts';
import { OperatorError } from '../../../src/platform/errors.ts';
import { openReadOnly } from '../../doctor/open-read-only.ts';
import type { Location } from './open-tables.ts';

/** Reads from a database of this version, and returns its identity. Changes nothing. */
export async function readSource<T>(location: Location, read: (db: Db) => Promise<T>) {
  const database = await openReadOnly(location);
  if (!database) throw new OperatorError('There is no database to move.');
  try {
    const pending = await pendingMigrations(database);
    if (pending.length > 0) {
      throw new OperatorError('The database has an older version. Update it first: npx gatehouse-server migrate');
    }
    const applied = await database.db.selectFrom('migrations').selectAll().orderBy('name').execute();
    const newer = applied.filter(({ name }) => !knownMigrations.includes(name));
    if (newer.length > 0) {
      throw new OperatorError(
        `A newer Gatehouse has migrated the database (${newer.map(({ name }) => name).join(', ')}). Move it with that version.`,
      );
    }
    const rows = applied.map(({ name, applied_at }) => `${name} ${applied_at}`);
    return { found: await read(database.db), id: hash('sha256', rows.join()) };
  } finally {
    await database.close();
  }
}
