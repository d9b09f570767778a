import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../src/database/database.ts';
import { insertIfAbsent } from '../../src/database/insert-if-absent.ts';
import type { Tables } from '../../src/database/tables/tables.ts';

export type DeviceRow = Selectable<Tables['device_authorizations']>;
type NewDevice = Omit<DeviceRow, 'polled_at' | 'user_id' | 'session_id' | 'decided_at' | 'redeemed_at'>;

/** False if the user code is taken. */
export const insertDevice = (db: Db, row: NewDevice) => insertIfAbsent(db, 'device_authorizations', row, 'user_code');

/** Finds a device whose user has not decided yet. */
export const findUndecided = (db: Db, userCode: string, now: number): Promise<DeviceRow | undefined> =>
  db
    .selectFrom('device_authorizations')
    .selectAll()
    .where('user_code', '=', userCode)
    .where('decided_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();

/** Finds an earlier decision, within the lifetime of the code. */
export const findDecidedBy = (db: Db, userCode: string, userId: string, now: number): Promise<DeviceRow | undefined> =>
  db
    .selectFrom('device_authorizations')
    .selectAll()
    .where('user_code', '=', userCode)
    .where('user_id', '=', userId)
    .where('decided_at', 'is not', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();

/** One statement: of two concurrent decisions, one wins. Without a session, the request is denied. */
export async function decideDevice(
  tx: Tx,
  { id, userId, sessionId, now }: { id: string; userId: string; sessionId: string | null; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('device_authorizations')
    .set({ user_id: userId, session_id: sessionId, decided_at: now })
    .where('id', '=', id)
    .where('decided_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

const withCode = (tx: Tx, deviceCodeHash: string) =>
  tx.selectFrom('device_authorizations').selectAll().where('device_code_hash', '=', deviceCodeHash);

export const findDevice = (tx: Tx, deviceCodeHash: string) => withCode(tx, deviceCodeHash).executeTakeFirst();

/** Locks the device: until the transaction ends, no other request polls with this code. */
export const lockDevice = (tx: Tx, deviceCodeHash: string): Promise<DeviceRow | undefined> =>
  withCode(tx, deviceCodeHash).forUpdate().executeTakeFirst();

export async function recordPoll(tx: Tx, { id, pollSeconds, now }: { id: string; pollSeconds: number; now: number }) {
  await tx
    .updateTable('device_authorizations')
    .set({ polled_at: now, poll_seconds: pollSeconds })
    .where('id', '=', id)
    .execute();
}

export async function markRedeemed(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('device_authorizations').set({ redeemed_at: now }).where('id', '=', id).execute();
}
