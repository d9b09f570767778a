import { hash } from 'node:crypto';
import type { Tx } from '../database/database.ts';
import { badRequest, conflict, Problem } from '../errors.ts';

/** An answer that a retry under the same key gets again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Null where the answer showed something that is stored nowhere. */
  readonly body: string | null;
}

export interface IdempotencyKey {
  readonly id: string;
  readonly bodyHash: string;
}

const life = 24 * 60 * 60 * 1000;

/** The key of a request: bound to who sends it, where, and with what. */
export function idempotencyKey(
  header: string | string[] | undefined,
  caller: { userId: string | null; clientId: string | null },
  path: string,
  body: unknown,
): IdempotencyKey | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw badRequest('Idempotency-Key: it takes 1 to 255 visible ASCII characters.', 'idempotency_key_invalid');
  }
  return {
    id: hash('sha256', JSON.stringify([caller.userId, caller.clientId, path, header]), 'base64url'),
    bodyHash: hash('sha256', JSON.stringify(body ?? null), 'base64url'),
  };
}

/**
 * Takes the key inside the transaction of the write: whoever comes second waits for the first to commit (PostgreSQL by
 * the unique key, SQLite by its one writer) and then gets its answer. A write that fails takes its key back with it.
 */
export async function takeKey(tx: Tx, key: IdempotencyKey, now: number): Promise<KeptAnswer | undefined> {
  const expired = tx
    .selectFrom('idempotency_keys')
    .select('id')
    .where('created_at', '<', now - life)
    .limit(50);
  await tx.deleteFrom('idempotency_keys').where('id', 'in', expired).execute();
  await tx
    .deleteFrom('idempotency_keys')
    .where('id', '=', key.id)
    .where('created_at', '<', now - life)
    .execute();
  const taken = await tx
    .insertInto('idempotency_keys')
    .values({ id: key.id, body_hash: key.bodyHash, status: null, headers: null, body: null, created_at: now })
    .onConflict((clash) => clash.column('id').doNothing())
    .returning('id')
    .execute();
  if (taken.length > 0) return undefined;
  const kept = await tx.selectFrom('idempotency_keys').selectAll().where('id', '=', key.id).executeTakeFirst();
  if (!kept?.status) throw conflict('The first request with this Idempotency-Key is still under way.');
  if (kept.body_hash !== key.bodyHash) {
    throw new Problem(422, 'Unprocessable Content', 'This Idempotency-Key was used with another body.', {
      code: 'idempotency_key_reused',
    });
  }
  const headers = JSON.parse(kept.headers ?? '{}') as Record<string, string>;
  if (kept.body === null) {
    throw conflict(
      `This was done already, as ${headers.location ?? 'its own resource'}; its answer held a value that is shown only once.`,
      'already_done',
    );
  }
  return { status: kept.status, headers, body: kept.body };
}

export async function keepAnswer(tx: Tx, { id }: IdempotencyKey, { status, headers, body }: KeptAnswer): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set({ status, headers: JSON.stringify(headers), body })
    .where('id', '=', id)
    .execute();
}
