import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';

const hasFactor = sql`(exists (select 1 from passkeys p where p.user_id = u.id and p.automatic = 0)
  or exists (select 1 from authenticators a where a.user_id = u.id and a.confirmed_at is not null))`;

/** Administrators who can sign in with their password alone. */
export async function countUnprotectedAdministrators(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from users u
    where u.disabled = 0 and u.roles like '%"admin"%' and not ${hasFactor}`.execute(db);
  return Number(rows[0]?.n ?? 0);
}

/** How many people have each kind of factor. */
export async function countPeopleByFactor(db: Db): Promise<{ passkeys: number; authenticators: number }> {
  const { rows } = await sql<{ passkeys: number; authenticators: number }>`select
    (select count(distinct user_id) from passkeys) as passkeys,
    (select count(distinct user_id) from authenticators where confirmed_at is not null) as authenticators`.execute(db);
  return { passkeys: Number(rows[0]?.passkeys ?? 0), authenticators: Number(rows[0]?.authenticators ?? 0) };
}
