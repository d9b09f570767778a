import { hash, randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import type { JsonText } from '../../../src/platform/json-text.ts';
import type { Upstream } from '../client/upstream.ts';

export type Attempt = Selectable<Tables['provider_attempts']>;
export type PendingIdentity = Selectable<Tables['pending_identities']> & { readonly upstream: JsonText<Upstream> };

/** 256 random bits. */
export const randomHandle = (): string => randomBytes(32).toString('base64url');

/** The stored hash of a value that only the browser knows. */
export const fingerprint = (value: string): string => hash('sha256', value, 'base64url');

export const insertAttempt = (db: Db, row: Attempt) => db.insertInto('provider_attempts').values(row).execute();

/** Takes an attempt by its browser and provider. Of two callbacks with the same `state`, one gets it. */
export const consumeAttempt = (
  db: Db,
  { state, visitor, provider, now }: { state: string; visitor: string; provider: string; now: number },
): Promise<Attempt | undefined> =>
  db
    .deleteFrom('provider_attempts')
    .where('id', '=', fingerprint(state))
    .where('visitor', '=', fingerprint(visitor))
    .where('provider', '=', provider)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();

export async function insertPending(db: Db, row: PendingIdentity): Promise<void> {
  await db.insertInto('pending_identities').values(row).execute();
}

interface Handle {
  readonly handle: string;
  readonly visitor: string;
  readonly provider: string;
  readonly now: number;
}

/** Finds the identity only for the browser and the provider that brought it: another provider would map the claims differently. */
export const findPending = (db: Db, { handle, visitor, provider, now }: Handle): Promise<PendingIdentity | undefined> =>
  db
    .selectFrom('pending_identities')
    .selectAll()
    .where('id', '=', fingerprint(handle))
    .where('visitor', '=', fingerprint(visitor))
    .where('provider', '=', provider)
    .where('expires_at', '>', now)
    .executeTakeFirst();

/** Uses up the identity. False if it was used before. Deletes other pending identities of the user: the proof was for this identity. */
export async function deletePending(tx: Tx, { id, user_id }: PendingIdentity): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('pending_identities').where('id', '=', id).executeTakeFirstOrThrow();
  await tx.deleteFrom('pending_identities').where('user_id', '=', user_id).execute();
  return numDeletedRows > 0n;
}

/** Deletes expired attempts and identities. */
export async function deleteExpired(db: Db, now: number): Promise<void> {
  for (const table of ['provider_attempts', 'pending_identities'] as const) {
    await db.deleteFrom(table).where('expires_at', '<=', now).execute();
  }
}
