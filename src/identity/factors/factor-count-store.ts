import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';

/** How many of each kind a user has. */
export async function countHeldFactors(db: Db | Tx, userId: string) {
  const { rows } = await sql<Record<'passkeys' | 'automatic' | 'authenticators' | 'codes', number>>`select
    (select count(*) from passkeys where user_id = ${userId} and automatic = 0) as passkeys,
    (select count(*) from passkeys where user_id = ${userId} and automatic = 1) as automatic,
    (select count(*) from authenticators where user_id = ${userId} and confirmed_at is not null) as authenticators,
    (select count(*) from recovery_codes where user_id = ${userId} and used_at is null) as codes`.execute(db);
  const [counts] = rows;
  return {
    /** Passkeys that the user made. With one, the password alone no longer signs in. */
    passkeys: Number(counts?.passkeys),
    /** Passkeys that a browser made automatically. */
    automaticPasskeys: Number(counts?.automatic),
    authenticators: Number(counts?.authenticators),
    /** Not used yet. */
    recoveryCodes: Number(counts?.codes),
  };
}

/** The numbers that users and administrators see. */
export async function countFactors(db: Db | Tx, userId: string) {
  const { passkeys, automaticPasskeys, authenticators, recoveryCodes } = await countHeldFactors(db, userId);
  return { passkeys: passkeys + automaticPasskeys, authenticators, recovery_codes: recoveryCodes };
}

/** Whether the user has a second factor that this session did not set up. */
export async function hasFactorOfOtherSession(db: Db | Tx, userId: string, sessionId: string): Promise<boolean> {
  const otherSession = sql`coalesce(session_id, '') <> ${sessionId}`;
  const { rows } = await sql`select 1 from authenticators
      where user_id = ${userId} and confirmed_at is not null and ${otherSession}
    union all select 1 from passkeys where user_id = ${userId} and automatic = 0 and ${otherSession}
    limit 1`.execute(db);
  return rows.length > 0;
}

/** Whether the user has set up a second factor. */
export const hasSecondFactor = (factors: { passkeys: number; authenticators: number }): boolean =>
  factors.passkeys + factors.authenticators > 0;
