import type { Invalidate } from '../../../../src/database/bus.ts';
import type { Tx } from '../../../../src/database/database.ts';
import { findTakenFields, updateUser } from '../../../../src/identity/accounts/user-store.ts';
import { revokeSessions } from '../../../../src/oauth/sessions/store/session-store.ts';
import type { LegacyIdRow } from '../../legacy-tokens/legacy-id-store.ts';
import type { TableCounts } from '../../report/report.ts';
import { lockedHere } from '../logins/login-record.ts';
import { countLiveLogins, endLoginsOf } from '../logins/login-store.ts';
import { legacyUserKey, type Pass } from '../pass.ts';
import { importFactor } from './import-factor.ts';
import { hasAllIdentifiers, reportMissingFields } from './missing-fields.ts';
import { reportSameIdentifier } from './taken-identifiers.ts';
import { compareFingerprints, fingerprintToStore, passwordHashOf, type UserRecord } from './user-record.ts';
import { disableUser, findUsersByIds } from './user-target-store.ts';

/** Updates a user who changed in the old service since the previous pass, or whose decision is open. */
export async function updateKnownUser(
  pass: Pass,
  tx: Tx,
  invalidate: Invalidate,
  before: LegacyIdRow,
  record: UserRecord,
  counts: TableCounts,
): Promise<LegacyIdRow> {
  const { source, new_id } = before;
  const keep = (isSettled: boolean, version = before.version): LegacyIdRow => ({
    ...before,
    fingerprint: fingerprintToStore(record, before.fingerprint, isSettled),
    version,
    pass: pass.number,
  });
  const current = (await findUsersByIds(tx, [new_id])).get(new_id);
  if (!current) {
    counts.skip('deleted here');
    return keep(true);
  }
  if (current.version !== before.version) {
    return leaveAsHere(pass, before, record, counts) ? keep(true) : { ...before, pass: pass.number };
  }
  const profile = await freeProfile(pass, tx, before, record);
  const identifier = profile.email ?? profile.username ?? profile.phone ?? current.username;
  if (profile.email === null && profile.phone === null) profile.username ??= current.username;
  const disabled = record.disabled ? 1 : 0;
  const updated = await updateUser(tx, new_id, {
    ...(identifier === null ? {} : profile),
    password_hash: record.passwordHash === null ? passwordHashOf(record) : record.passwordHash,
    email_confirmed: record.emailConfirmed && profile.email !== null ? 1 : 0,
    ...(record.roles ? { roles: JSON.stringify(record.roles) } : {}),
    ...(record.locale === undefined ? {} : { locale: record.locale }),
    disabled,
    updated_at: pass.at,
  });
  if (disabled === 1 && current.disabled === 0) await endLogins(pass, tx, before, lockedHere);
  const hasFactor = await importFactor(pass, tx, source, record, new_id);
  reportMissingFields(pass, source, record);
  invalidate({ kind: 'user', id: new_id });
  counts.updated++;
  const isSettled = hasFactor && updated !== undefined && hasAllIdentifiers(record, updated);
  return keep(isSettled, updated?.version);
}

/** The user was changed here since. The operator decides. False until then. */
function leaveAsHere({ findings }: Pass, before: LegacyIdRow, record: UserRecord, counts: TableCounts): boolean {
  // Changed only here: the open question was settled by hand.
  if (compareFingerprints(record, before.fingerprint) === 'open') {
    counts.unchanged++;
    return true;
  }
  counts.skip('changed in both services');
  return findings.decide(
    'changed-in-both',
    'Users who were changed in both services since the previous pass: Gatehouse keeps its own version',
    `${before.source} ${before.old_id}`,
  );
}

/** The profile without identifiers that another user has. */
async function freeProfile(pass: Pass, tx: Tx, { source, old_id, new_id }: LegacyIdRow, record: UserRecord) {
  const profile = { ...record.profile };
  for (const field of await findTakenFields(tx, profile, new_id)) {
    reportSameIdentifier(pass, field, `${source} ${old_id}: ${profile[field]}`);
    profile[field] = null;
  }
  return profile;
}

/** Disables users who were deleted in the old service, and ends their logins. Their data stays, in case they are restored there before the next run. */
export async function endUser(pass: Pass, tx: Tx, invalidate: Invalidate, before: LegacyIdRow, fingerprint: string) {
  const after = { ...before, fingerprint, pass: pass.number };
  if (before.fingerprint === fingerprint) return after;
  const counts = pass.findings.countsOf(pass.plan.layout.find(before.source)?.name ?? before.source);
  if (!(await disableUser(tx, before.new_id, before.version, pass.at))) {
    const isAccepted = pass.findings.decide(
      'gone-and-changed',
      'Users who were deleted in the old service and changed in Gatehouse: disable them in Gatehouse, or keep them',
      `${before.source} ${before.old_id}`,
    );
    return isAccepted ? after : { ...before, pass: pass.number };
  }
  await endLogins(pass, tx, before, 'their account was deleted in the old service');
  invalidate({ kind: 'user', id: before.new_id });
  counts.ended++;
  return { ...after, version: before.version + 1 };
}

async function endLogins({ findings, at }: Pass, tx: Tx, user: LegacyIdRow, cause: string): Promise<void> {
  const { source, old_id, new_id: userId } = user;
  // The tokens of a locked user that the old service still has are counted when they are read.
  for (const { logins } of await countLiveLogins(tx, 'user_id', userId, at, { onlyHere: cause === lockedHere })) {
    findings.signedOut(cause, legacyUserKey(source, old_id), logins);
  }
  await endLoginsOf(tx, 'user_id', userId, at);
  await revokeSessions(tx, { userId }, at);
}
