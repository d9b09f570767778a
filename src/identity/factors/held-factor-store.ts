import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';

const hasFactor = sql`(exists (select 1 from passkeys p where p.user_id = u.id and p.automatic = 0)
  or exists (select 1 from authenticators a where a.user_id = u.id and a.confirmed_at is not null))`;

/** Administrators without a second factor. */
export async function countUnprotectedAdministrators(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from users u
    where u.disabled = 0 and u.roles like '%"admin"%' and not ${hasFactor}`.execute(db);
  return Number(rows[0]?.n ?? 0);
}

/** How many users have each kind of factor. */
export async function countPeopleByFactor(db: Db): Promise<{ passkeys: number; authenticators: number }> {
  const { rows } = await sql<{ passkeys: number; authenticators: number }>`select
    (select count(distinct user_id) from passkeys) as passkeys,
    (select count(distinct user_id) from authenticators where confirmed_at is not null) as authenticators`.execute(db);
  return { passkeys: Number(rows[0]?.passkeys ?? 0), authenticators: Number(rows[0]?.authenticators ?? 0) };
}

/** How many of each kind a user has. */
export async function findHeldFactors(db: Db | Tx, userId: string) {
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
  const { passkeys, automaticPasskeys, authenticators, recoveryCodes } = await findHeldFactors(db, userId);
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
