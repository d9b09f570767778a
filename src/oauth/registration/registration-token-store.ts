import type { Db, Tx } from '../../database/database.ts';

interface InitialToken {
  readonly hash: string;
  readonly created_at: number;
  readonly expires_at: number;
}

export async function insertInitialToken(db: Db, token: InitialToken): Promise<void> {
  await db.deleteFrom('registration_tokens').where('expires_at', '<=', token.created_at).execute();
  await db.insertInto('registration_tokens').values(token).execute();
}

export async function hasInitialToken(db: Db, hash: string, now: number): Promise<boolean> {
  const query = db.selectFrom('registration_tokens').select('hash').where('hash', '=', hash);
  return (await query.where('expires_at', '>', now).executeTakeFirst()) !== undefined;
}

/** Ends a token of either kind, and says which client it managed, if any. */
export async function endRegistrationToken(tx: Tx, hash: string): Promise<string | undefined> {
  await tx.deleteFrom('registration_tokens').where('hash', '=', hash).execute();
  const update = tx.updateTable('client_registrations').set({ token_hash: null }).where('token_hash', '=', hash);
  return (await update.returning('client_id').executeTakeFirst())?.client_id;
}
