import type { Invalidate } from '../../../src/database/bus.ts';
import type { Tx } from '../../../src/database/database.ts';
import { isUuid, uuidv7 } from '../../../src/database/uuid.ts';
import { insertNewUsers, type UserRow } from '../../../src/identity/accounts/user-store.ts';
import { findLegacyIds, type LegacyIdRow, saveLegacyIds } from '../legacy-tokens/legacy-id-store.ts';
import type { Tally } from '../report/report.ts';
import { select } from '../source/layout.ts';
import { pages } from '../source/source.ts';
import { endUser, updateKnownUser } from './known-users.ts';
import { sayWhatIsMissing } from './missing-fields.ts';
import { batchSize, type Pass, type UserTable } from './pass.ts';
import type { RoleNames } from './role-names.ts';
import { makeRoomForUser } from './taken-identifiers.ts';
import { generatedUsername, passwordHashOf, readUser, type UserRecord, userColumns } from './user-record.ts';
import { inBatch } from './user-target-store.ts';

/** Everybody of one table of users. */
export async function takeUsers(pass: Pass, table: UserTable, roles: RoleNames): Promise<void> {
  const { source, findings, plan } = pass;
  const tally = findings.of(table.name);
  const total = await source.count(table.name);
  for await (const rows of pages(source, select(table, 'id', userColumns), batchSize)) {
    const ids = rows.map(({ id }) => id as string);
    const rolesById = await roles.of(table, ids);
    const records = rows.map((row) => readUser(row, plan.clock, rolesById.get(row.id as string) ?? []));
    tally.read += records.length;
    await inBatch(pass.context.database, (tx, invalidate) => takeBatch(pass, table, tally, records, tx, invalidate));
    pass.progress({ table: table.name, done: tally.read, total });
  }
}

async function takeBatch(
  pass: Pass,
  { source }: UserTable,
  tally: Tally,
  records: readonly UserRecord[],
  tx: Tx,
  invalidate: Invalidate,
): Promise<void> {
  const ids = records.map(({ oldId }) => oldId);
  const known = await findLegacyIds(tx, source, ids);
  const seen: LegacyIdRow[] = [];
  const fresh: UserRecord[] = [];
  for (const record of records) {
    const before = known.get(record.oldId);
    if (record.deleted) {
      tally.leave('deleted there');
      if (before) seen.push(await endUser(pass, tx, invalidate, before, record.fingerprint));
    } else if (!before) fresh.push(record);
    else if (before.fingerprint === record.fingerprint) {
      tally.unchanged++;
      seen.push({ ...before, pass: pass.number });
    } else seen.push(await updateKnownUser(pass, tx, invalidate, before, record, tally));
  }
  seen.push(...(await addUsers(pass, source, tally, fresh, tx)));
  await saveLegacyIds(tx, seen);
}

async function addUsers(
  pass: Pass,
  source: string,
  tally: Tally,
  records: readonly UserRecord[],
  tx: Tx,
): Promise<LegacyIdRow[]> {
  if (records.length === 0) return [];
  const drafts = records.map((record) => ({ record, row: rowOf(pass, source, record) }));
  const inserted = await insertNewUsers(
    tx,
    drafts.map(({ row }) => row),
  );
  const ids: LegacyIdRow[] = [];
  for (const { record, row } of drafts) {
    const stored = inserted.has(row.id) ? row : await makeRoomForUser(pass, tx, source, record.oldId, row);
    sayWhatIsMissing(pass, source, record);
    tally.taken++;
    ids.push({
      source,
      old_id: record.oldId,
      new_id: stored.id,
      fingerprint: record.fingerprint,
      version: stored.version,
      pass: pass.number,
    });
  }
  return ids;
}

function rowOf({ at }: Pass, source: string, record: UserRecord): UserRow {
  const { profile, oldId } = record;
  return {
    // An id that could be one of ours stays as it is.
    id: isUuid(oldId) ? oldId : uuidv7(at),
    ...profile,
    username:
      (profile.email ?? profile.username ?? profile.phone) ? profile.username : generatedUsername(source, oldId),
    password_hash: passwordHashOf(record),
    email_confirmed: record.emailConfirmed ? 1 : 0,
    roles: JSON.stringify(record.roles),
    disabled: 0,
    locale: null,
    created_at: Math.min(record.createdAt ?? at, at),
    updated_at: at,
    version: 1,
  };
}
