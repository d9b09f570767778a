import type { Db } from '../../src/database/database.ts';

type Names = ReadonlyMap<string, string>;

const batchSize = 500;

/** The names of the users and clients of sessions, by id. */
export async function sessionNames(
  db: Db,
  sessions: readonly { readonly user_id: string | null; readonly client_id: string | null }[],
): Promise<{ users: Names; clients: Names }> {
  const users = new Map<string, string>();
  const clients = new Map<string, string>();
  for (const ids of batchesOf(sessions.map(({ user_id }) => user_id))) {
    const rows = await db
      .selectFrom('users')
      .select(['id', 'email', 'username', 'phone'])
      .where('id', 'in', ids)
      .execute();
    for (const { id, email, username, phone } of rows) users.set(id, email ?? username ?? phone ?? id);
  }
  for (const ids of batchesOf(sessions.map(({ client_id }) => client_id))) {
    const rows = await db.selectFrom('clients').select(['id', 'name']).where('id', 'in', ids).execute();
    for (const { id, name } of rows) clients.set(id, name);
  }
  return { users, clients };
}

function batchesOf(ids: readonly (string | null)[]): string[][] {
  const uniqueIds = [...new Set(ids.filter((id) => id !== null))];
  return Array.from({ length: Math.ceil(uniqueIds.length / batchSize) }, (_, i) =>
    uniqueIds.slice(i * batchSize, (i + 1) * batchSize),
  );
}
