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
