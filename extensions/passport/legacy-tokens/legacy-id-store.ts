import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';

export type LegacyIdRow = Selectable<Tables['legacy_ids']>;

/** Whether a client issued the personal access tokens of users in the old service, by its id. */
export const personalAccessSource = 'oauth_clients.personal_access';

export const listLegacyIds = (db: Db | Tx, source: string): Promise<LegacyIdRow[]> =>
  db.selectFrom('legacy_ids').selectAll().where('source', '=', source).execute();

/** The known ids among these, by their old ids. */
export async function findLegacyIds(db: Db | Tx, source: string, oldIds: readonly string[]) {
  if (oldIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('legacy_ids')
    .selectAll()
    .where('source', '=', source)
    .where('old_id', 'in', [...oldIds])
    .execute();
  return new Map(rows.map((row) => [row.old_id, row]));
}

/** The ids in the old service, by their ids in this service. */
export async function findOldIds(db: Db | Tx, source: string, newIds: readonly string[]) {
  const rows = await db
    .selectFrom('legacy_ids')
    .select(['old_id', 'new_id'])
    .where('source', '=', source)
    .where('new_id', 'in', [...newIds])
    .execute();
  return new Map(rows.map(({ old_id, new_id }) => [new_id, old_id]));
}

export async function saveLegacyIds(db: Db | Tx, rows: readonly LegacyIdRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('legacy_ids')
    .values([...rows])
    .onConflict((clash) =>
      clash.columns(['source', 'old_id']).doUpdateSet((eb) => ({
        new_id: eb.ref('excluded.new_id'),
        fingerprint: eb.ref('excluded.fingerprint'),
        version: eb.ref('excluded.version'),
        pass: eb.ref('excluded.pass'),
      })),
    )
    .execute();
}

/** Rows that earlier passes saw and this one did not, because they were deleted in the old service. */
export const listUnseen = (db: Db | Tx, source: string, pass: number, limit: number): Promise<LegacyIdRow[]> =>
  db.selectFrom('legacy_ids').selectAll().where('source', '=', source).where('pass', '<', pass).limit(limit).execute();

export async function deleteLegacyIds(db: Db | Tx, source: string, oldIds: readonly string[]): Promise<void> {
  await db
    .deleteFrom('legacy_ids')
    .where('source', '=', source)
    .where('old_id', 'in', [...oldIds])
    .execute();
}
