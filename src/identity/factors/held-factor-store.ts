import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';

/** How many of each kind a user has. */
export interface HeldFactors {
  /** Those that the user made; the password alone does not sign in any more. */
  readonly passkeys: number;
  /** Those that a browser made by itself. */
  readonly automaticPasskeys: number;
  readonly authenticators: number;
  /** Not used yet. */
  readonly recoveryCodes: number;
}

/** One statement. */
export async function findHeldFactors(db: Db | Tx, userId: string): Promise<HeldFactors> {
  const { rows } = await sql<Record<'passkeys' | 'automatic' | 'authenticators' | 'codes', number>>`select
    (select count(*) from passkeys where user_id = ${userId} and automatic = 0) as passkeys,
    (select count(*) from passkeys where user_id = ${userId} and automatic = 1) as automatic,
    (select count(*) from authenticators where user_id = ${userId} and confirmed_at is not null) as authenticators,
    (select count(*) from recovery_codes where user_id = ${userId} and used_at is null) as codes`.execute(db);
  const [found] = rows;
  return {
    passkeys: Number(found?.passkeys),
    automaticPasskeys: Number(found?.automatic),
    authenticators: Number(found?.authenticators),
    recoveryCodes: Number(found?.codes),
  };
}

/** Whether the user of this session had a second factor already when the session began. */
export async function hadSecondFactor(db: Db | Tx, sessionId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from sessions as s where s.id = ${sessionId} and (
    exists (select 1 from authenticators as a where a.user_id = s.user_id and a.confirmed_at < s.created_at)
    or exists (select 1 from passkeys as p where p.user_id = s.user_id and p.automatic = 0 and p.created_at < s.created_at)
  )`.execute(db);
  return rows.length > 0;
}

/** Whether the user has set up anything that is asked for beside the password. */
export const hasSecondFactor = ({ passkeys, authenticators }: HeldFactors): boolean => passkeys + authenticators > 0;
