import type { Invalidate } from '../../../src/database/bus.ts';
import type { Db, Tx } from '../../../src/database/database.ts';
import type { Application } from '../../../src/oauth/clients/client-store.ts';
import { parseJson } from '../../../src/platform/json-text.ts';

/** Turns a client into an application, or replaces the redirect URIs and scopes of an application. */
export async function convertToApplication(
  tx: Tx,
  invalidate: Invalidate,
  id: string,
  application: Pick<Application, 'public' | 'redirect_uris' | 'scopes'>,
  now: number,
): Promise<void> {
  await tx
    .updateTable('clients')
    .set((eb) => ({
      type: 'application',
      public: application.public ? 1 : 0,
      redirect_uris: JSON.stringify(application.redirect_uris),
      scopes: JSON.stringify(application.scopes),
      updated_at: now,
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .execute();
  invalidate({ kind: 'client', id });
}

/** The realm of a client, and its rights beyond its type. Omitted values do not change. */
export interface ClientBounds {
  readonly realm: string | null;
  readonly public?: boolean;
  readonly grant_types?: readonly string[];
}

/** Returns whether anything changed. A client with a secret in this service stays confidential. */
export async function setClientBounds(tx: Tx, id: string, bounds: ClientBounds, now: number): Promise<boolean> {
  const client = await tx
    .selectFrom('clients')
    .select(['realm', 'public', 'grant_types'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!client) return false;
  const secret = await tx.selectFrom('client_secrets').select('id').where('client_id', '=', id).executeTakeFirst();
  const columns = {
    realm: bounds.realm,
    public: bounds.public === undefined || secret ? client.public : bounds.public ? 1 : 0,
    grant_types: bounds.grant_types ? JSON.stringify(bounds.grant_types) : client.grant_types,
  };
  if (
    columns.realm === client.realm &&
    columns.public === client.public &&
    columns.grant_types === client.grant_types
  ) {
    return false;
  }
  await tx
    .updateTable('clients')
    .set((eb) => ({ ...columns, updated_at: now, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
  return true;
}

export async function findScopesOfClients(db: Db, ids: readonly string[]): Promise<{ id: string; scopes: string[] }[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('clients')
    .select(['id', 'scopes'])
    .where('id', 'in', [...ids])
    .execute();
  return rows.map(({ id, scopes }) => ({ id, scopes: parseJson(scopes) }));
}

export async function setClientScopes(tx: Tx, id: string, scopes: readonly string[], now: number): Promise<void> {
  await tx
    .updateTable('clients')
    .set((eb) => ({ scopes: JSON.stringify(scopes), updated_at: now, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
}
