import type { Db, Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';

const maxLength = 64;

/** A name of the time zone database, as browsers send it. Undefined for other values. */
function readTimeZone(name: string | undefined): string | undefined {
  if (name === undefined || name.length > maxLength || !/^[A-Za-z][\w+/-]*$/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Stores the time zone of a sign-in or a registration. The last value wins. */
export async function saveTimeZone(tx: Tx, userId: string, { timeZone }: RequestSource): Promise<void> {
  const time_zone = readTimeZone(timeZone);
  if (time_zone === undefined) return;
  await tx
    .insertInto('user_time_zones')
    .values({ user_id: userId, time_zone })
    .onConflict((oc) => oc.column('user_id').doUpdateSet({ time_zone }))
    .execute();
}

export async function findTimeZone(db: Db, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('user_time_zones')
    .select('time_zone')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.time_zone;
}
