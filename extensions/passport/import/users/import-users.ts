import type { Invalidate } from '../../../../src/database/bus.ts';
import type { Tx } from '../../../../src/database/database.ts';
import { isUuid, uuidv7 } from '../../../../src/database/uuid.ts';
import { insertNewUsers, type UserRow } from '../../../../src/identity/accounts/user-store.ts';
import { findLegacyIds, type LegacyIdRow, saveLegacyIds } from '../../legacy-tokens/legacy-id-store.ts';
import type { TableCounts } from '../../report/report.ts';
import { decryptRow } from '../../source/laravel-encryption.ts';
import { select } from '../../source/layout.ts';
import { pages, type SourceRow } from '../../source/source.ts';
import { batchSize, type Pass, type UserTable } from '../pass.ts';
import type { DeclaredFields } from './declared-fields.ts';
import { isDisabled } from './disable-where.ts';
import { importFactor } from './import-factor.ts';
import { endUser, updateKnownUser } from './known-users.ts';
import { hasAllIdentifiers, reportMissingFields } from './missing-fields.ts';
import type { RoleNames } from './role-names.ts';
import { socialColumns } from './social-sources.ts';
import { importWithoutTakenIdentifiers } from './taken-identifiers.ts';
import {
  compareFingerprints,
  fingerprintToStore,
  generatedUsername,
  isDeleted,
  passwordHashOf,
  readUser,
  type UserRecord,
  userColumns,
  wasLocked,
} from './user-record.ts';
import { inBatch } from './user-target-store.ts';

/** Words for a lock, anywhere in a column name. */
const lockWord =
  /(^|_)(ban|banned|blocked|suspend|suspended|suspension|locked|lockout|frozen|blacklisted|deactivated|terminated|can_login)(_|$)/;
/** Words that can mean something else in a longer name, such as marital_status. */
const lockName =
  /^(is_|account_|user_|login_)?(active|inactive|activated|enabled|disabled|approved|archived|deleted|closed|expired|expires|valid|status|state)(_at|_on|_until|_till)?$/;
/** Words for a second factor. Only the columns of Fortify are imported. */
const factorWord = /(^|_)(two_?factor|2fa|mfa|otp|totp|google_?2?fa|authy|authenticator)(_|$)/;
const inSnakeCase = (column: string): string => column.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
const fortify = ['two_factor_secret', 'two_factor_confirmed_at', 'two_factor_recovery_codes'];
/** Columns without personal data. */
const ofLaravel = ['id', 'updated_at', 'remember_token'];

const ofSocialite = (columns: UserTable['columns']): readonly string[] =>
  socialColumns.find((pair) => pair.every((column) => columns.has(column))) ?? [];

/** The columns to read. */
const columnsToRead = ({ disableWhere, map }: Pass['plan']): string[] => [
  ...userColumns,
  ...map.fields.keys(),
  ...disableWhere.map(({ column }) => column),
];

/** Asks about columns that may lock users, and lists ignored columns. True while a lock column waits for a decision. */
function checkUserColumns({ plan, findings }: Pass, { name, columns }: UserTable): boolean {
  let isUndecided = false;
  const read = new Set([...columnsToRead(plan), ...fortify, ...ofLaravel, ...ofSocialite(columns)]);
  const otherColumns = [...columns.keys()].filter((column) => !read.has(column));
  for (const column of otherColumns) {
    if (plan.ignoredColumns.has(column)) continue;
    if (lockName.test(inSnakeCase(column)) || lockWord.test(inSnakeCase(column))) {
      const isAccepted = findings.decide(
        'lock-columns',
        'Columns that look like a lock were not looked at. Say who is disabled by --disable-where (such as --disable-where is_active=0 or --disable-where banned_at), or that a column means nothing by --ignore-column',
        `${name}.${column}`,
      );
      isUndecided ||= !isAccepted;
    } else if (factorWord.test(inSnakeCase(column))) {
      findings.decide(
        'other-factors',
        'Columns that look like a second factor, and that only the old application can decrypt. To ignore a column, use --ignore-column',
        `${name}.${column}`,
      );
    }
  }
  if (otherColumns.length > 0) findings.addNote(`Columns of ${name} that are not imported: ${otherColumns.join(', ')}`);
  if (columns.has('two_factor_recovery_codes')) {
    findings.addNote(
      `Recovery codes of ${name} (two_factor_recovery_codes) are not imported: people create new ones in their settings`,
    );
  }
  return isUndecided;
}

/** Imports all users of one table. */
export async function importUserTable(
  pass: Pass,
  table: UserTable,
  { roles, fields }: { roles: RoleNames | undefined; fields: DeclaredFields | undefined },
): Promise<void> {
  const { source, findings, plan } = pass;
  const counts = findings.countsOf(table.name);
  const total = await source.count(table.name);
  const isUndecided = checkUserColumns(pass, table);
  for await (const page of pages(source, select(table, 'id', columnsToRead(plan)), batchSize)) {
    const rows = page.map((row) => withoutSecrecy(pass, table, row));
    const ids = rows.map(({ id }) => id);
    const deleted = new Set(rows.filter((row) => isDeleted(row, plan.map.fields)).map(({ id }) => id));
    const rolesById = await roles?.of(table, ids, deleted);
    // A user whom an earlier pass locked stays locked until the operator decides.
    const before = isUndecided ? await findLegacyIds(pass.context.database.db, table.source, ids) : undefined;
    const records = rows.map((row) =>
      readUser(row, {
        clock: plan.clock,
        fields: plan.map.fields,
        roles: rolesById && (rolesById.get(row.id) ?? []),
        disabled:
          isDisabled(plan.disableWhere, row, { clock: plan.clock, at: pass.at }) ||
          wasLocked(before?.get(row.id)?.fingerprint),
      }),
    );
    for (const { oldId, disabled, deleted } of records) {
      if (disabled && !deleted)
        findings.addNote(
          `Users of ${table.name} who are locked in the old service: they are disabled in Gatehouse`,
          oldId,
        );
    }
    counts.read += records.length;
    await inBatch(pass.context.database, (tx, invalidate) => takeBatch(pass, table, counts, records, tx, invalidate));
    await fields?.take(
      table,
      rows.filter(({ id }) => !deleted.has(id)),
    );
    pass.progress({ table: table.name, completed: counts.read, total });
  }
}

/** Decrypts encrypted columns. The secret of Fortify stays encrypted until it is imported. */
function withoutSecrecy({ plan, findings }: Pass, { name }: UserTable, row: SourceRow<'id'>): SourceRow<'id'> {
  const { id, two_factor_secret, ...otherColumns } = row;
  const plain = decryptRow(otherColumns, plan.decryptionKeys, (column) =>
    findings.decide(
      'encrypted-columns',
      'Encrypted values that cannot be decrypted with APP_KEY were omitted. Add the right key to APP_PREVIOUS_KEYS',
      `${name}.${column} of ${id}`,
    ),
  );
  return { ...plain, id, ...(two_factor_secret === undefined ? {} : { two_factor_secret }) };
}

async function takeBatch(
  pass: Pass,
  { source, realm }: UserTable,
  counts: TableCounts,
  records: readonly UserRecord[],
  tx: Tx,
  invalidate: Invalidate,
): Promise<void> {
  const ids = records.map(({ oldId }) => oldId);
  const legacyIds = await findLegacyIds(tx, source, ids);
  const seen: LegacyIdRow[] = [];
  const newRecords: UserRecord[] = [];
  for (const record of records) {
    const before = legacyIds.get(record.oldId);
    if (record.deleted) {
      counts.skip('deleted there');
      if (before) {
        const fingerprint = fingerprintToStore(record, before.fingerprint, true);
        seen.push(pass.isComplete ? await endUser(pass, tx, invalidate, before, fingerprint) : before);
      }
    } else if (!before) newRecords.push(record);
    else if (compareFingerprints(record, before.fingerprint) === 'same') {
      counts.unchanged++;
      seen.push({ ...before, pass: pass.number });
    } else seen.push(await updateKnownUser(pass, tx, invalidate, before, record, counts));
  }
  seen.push(...(await addUsers(pass, { source, realm }, counts, newRecords, tx)));
  await saveLegacyIds(tx, seen);
}

async function addUsers(
  pass: Pass,
  { source, realm }: Pick<UserTable, 'source' | 'realm'>,
  counts: TableCounts,
  records: readonly UserRecord[],
  tx: Tx,
): Promise<LegacyIdRow[]> {
  if (records.length === 0) return [];
  const drafts = records.map((record) => ({ record, row: { ...rowOf(pass, source, record), realm } }));
  const inserted = await insertNewUsers(
    tx,
    drafts.map(({ row }) => row),
  );
  const ids: LegacyIdRow[] = [];
  for (const { record, row } of drafts) {
    const stored = inserted.has(row.id)
      ? row
      : await importWithoutTakenIdentifiers(pass, tx, source, record.oldId, row);
    const hasFactor = record.twoFactor === null || (await importFactor(pass, tx, source, record, stored.id));
    reportMissingFields(pass, source, record);
    counts.taken++;
    ids.push({
      source,
      old_id: record.oldId,
      new_id: stored.id,
      fingerprint: fingerprintToStore(record, undefined, hasFactor && hasAllIdentifiers(record, stored)),
      version: stored.version,
      pass: pass.number,
    });
  }
  return ids;
}

function rowOf({ at }: Pass, source: string, record: UserRecord): Omit<UserRow, 'realm'> {
  const { profile, oldId } = record;
  return {
    // A UUID is kept as the id.
    id: isUuid(oldId) ? oldId : uuidv7(at),
    ...profile,
    username:
      (profile.email ?? profile.username ?? profile.phone) ? profile.username : generatedUsername(source, oldId),
    password_hash: passwordHashOf(record),
    email_confirmed: record.emailConfirmed ? 1 : 0,
    roles: JSON.stringify(record.roles ?? []),
    disabled: record.disabled ? 1 : 0,
    locale: record.locale ?? null,
    created_at: Math.min(record.createdAt ?? at, at),
    updated_at: at,
    version: 1,
  };
}
