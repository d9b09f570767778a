import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';
import { type ApplicationFields, columnsOf } from './application-store.ts';
import type { ClientRow } from './client-store.ts';

interface Described extends Omit<ApplicationFields, 'public' | 'trusted'> {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** Replaces what an application says of itself; whether it has a secret, and whether it is trusted, stays. */
export function updateApplication(tx: Tx, id: string, of: Described, now: number): Promise<ClientRow | undefined> {
  const { public: _public, trusted: _trusted, ...columns } = columnsOf(of);
  return tx
    .updateTable('clients')
    .set({
      name: of.name,
      scopes: JSON.stringify(of.scopes),
      ...columns,
      updated_at: now,
      version: sql`version + 1`,
    })
    .where('id', '=', id)
    .where('type', '=', 'application')
    .returningAll()
    .executeTakeFirst();
}

/** Takes the address for back-channel logout away. Returns what it was; undefined where there is none. */
export async function clearLogoutAddress(
  tx: Tx,
  id: string,
  now: number,
): Promise<{ user_id: string | null; name: string; uri: string } | undefined> {
  const before = await tx
    .selectFrom('clients')
    .select(['user_id', 'name', 'backchannel_logout_uri as uri'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!before?.uri) return undefined;
  await tx
    .updateTable('clients')
    .set({ backchannel_logout_uri: null, updated_at: now, version: sql`version + 1` })
    .where('id', '=', id)
    .execute();
  return { ...before, uri: before.uri };
}
