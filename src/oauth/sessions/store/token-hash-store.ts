import { compiledQuery } from '../../../database/compiled-query.ts';
import type { Database, Tx } from '../../../database/database.ts';
import type { SessionRow } from './session-store.ts';

export async function setTokenHash(tx: Tx, id: string, tokenHash: string): Promise<void> {
  await tx.updateTable('sessions').set({ token_hash: tokenHash }).where('id', '=', id).execute();
}

const selectByHash = compiledQuery((db, { hash }: { hash: string }) =>
  db.selectFrom('sessions').selectAll().where('token_hash', '=', hash),
);

/** The session of a personal access token, live or not. */
export const findByTokenHash = async (database: Database, hash: string): Promise<SessionRow | undefined> =>
  selectByHash.readFirst(database, { hash });
