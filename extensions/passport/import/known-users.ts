import type { Invalidate } from '../../../src/database/bus.ts';
import type { Tx } from '../../../src/database/database.ts';
import { findTakenFields, updateUser } from '../../../src/identity/accounts/user-store.ts';
import { revokeSessions } from '../../../src/oauth/sessions/store/session-store.ts';
import type { LegacyIdRow } from '../legacy-tokens/legacy-id-store.ts';
import type { Tally } from '../report/report.ts';
import { sayWhatIsMissing } from './missing-fields.ts';
import type { Pass } from './pass.ts';
import { passwordHashOf, type UserRecord } from './user-record.ts';
import { disableUser, findUsersByIds } from './user-target-store.ts';

/** Somebody who was changed there since the pass before. Where they were changed here as well, people decide. */
export async function updateKnownUser(
  pass: Pass,
  tx: Tx,
  invalidate: Invalidate,
  before: LegacyIdRow,
  record: UserRecord,
  tally: Tally,
): Promise<LegacyIdRow> {
  const { source, old_id, new_id } = before;
  const now = { ...before, fingerprint: record.fingerprint, pass: pass.number };
  const current = (await findUsersByIds(tx, [new_id])).get(new_id);
  if (!current || current.version !== before.version) {
    tally.leave(current ? 'changed there and here' : 'deleted here');
    if (current) {
      pass.findings.decide(
        'Users who were changed there and here since the pass before: they stay as they are here',
        `${source} ${old_id}`,
      );
    }
    return now;
  }
  const profile = { ...record.profile };
  for (const field of (await findTakenFields(tx, profile, new_id)) as ('email' | 'username' | 'phone')[]) {
    pass.findings.decide(
      `Two users with the same ${field} (upper and lower case are one): the second came without it. Change it there, and run again`,
      `${source} ${old_id}: ${profile[field]}`,
    );
    profile[field] = null;
  }
  if (profile.email === null && profile.username === null && profile.phone === null)
    profile.username = current.username;
  const nameless = profile.email === null && profile.username === null && profile.phone === null;
  const updated = await updateUser(tx, new_id, {
    ...(nameless ? {} : profile),
    password_hash: record.passwordHash === null ? passwordHashOf(record) : record.passwordHash,
    email_confirmed: record.emailConfirmed && profile.email !== null ? 1 : 0,
    roles: JSON.stringify(record.roles),
    disabled: 0,
    updated_at: pass.at,
  });
  sayWhatIsMissing(pass, source, record);
  invalidate({ kind: 'user', id: new_id });
  tally.updated++;
  return { ...now, version: updated?.version ?? before.version };
}

/** Gone there: shut out here, with every login. The data stays, for whoever restores the user there and runs again. */
export async function endUser(
  pass: Pass,
  tx: Tx,
  invalidate: Invalidate,
  before: LegacyIdRow,
  fingerprint: string,
): Promise<LegacyIdRow> {
  const after = { ...before, fingerprint, pass: pass.number };
  if (before.fingerprint === fingerprint) return after;
  const tally = pass.findings.of(pass.plan.layout.find(before.source)?.name ?? before.source);
  if (!(await disableUser(tx, before.new_id, before.version, pass.at))) {
    pass.findings.decide(
      'Users who are gone there and were changed here: disable or keep them',
      `${before.source} ${before.old_id}`,
    );
    return after;
  }
  await revokeSessions(tx, { userId: before.new_id }, pass.at);
  invalidate({ kind: 'user', id: before.new_id });
  tally.ended++;
  return { ...after, version: before.version + 1 };
}
