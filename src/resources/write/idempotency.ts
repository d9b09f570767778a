import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import { insertIfAbsent } from '../../database/insert-if-absent.ts';
import type { Macs } from '../../database/keys/mac-keys.ts';
import { decrypt, encrypt } from '../../database/keys/sealing.ts';
import { pruneBefore } from '../../database/prune-in-batches.ts';
import type { Caller } from '../../platform/caller.ts';
import { badRequest, conflict, Problem } from '../../platform/errors.ts';

/** The response for a retry with the same key. It never contains secrets of the first response. */
export interface StoredResponse {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface IdempotencyKey {
  readonly id: string;
  readonly bodyHash: string;
  /** Encrypts the stored response. Only a request with the same idempotency key can decrypt it. */
  readonly sealingKey: Buffer;
  /** The same key under earlier server keys, because a retry may follow a key rotation. */
  readonly earlierKeys: readonly IdempotencyKey[];
}

const retentionMs = 24 * 60 * 60 * 1000;
/** Part of the encryption, so it must not change: two versions may run on one database during an upgrade. */
const sealingLabel = 'idempotent answer';

/** The key of a request. It is bound to the caller, the path and the body. The hashes are MACs, because a body may contain a password. */
export function idempotencyKey(
  keys: Macs,
  header: string | string[] | undefined,
  { userId, clientId, roles, scopes }: Pick<Caller, 'userId' | 'clientId' | 'roles' | 'scopes'>,
  path: string,
  body: unknown,
): IdempotencyKey | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw badRequest('Idempotency-Key: expected 1 to 255 visible ASCII characters.', 'idempotency_key_invalid');
  }
  const request = JSON.stringify([userId, clientId, path, header]);
  const ids = keys.macs('idempotency key of a row', request);
  // Includes the rights of the caller, so that a token with fewer rights does not get the response.
  const bodyHashes = keys.macs('idempotent body', JSON.stringify([body ?? null, roles, scopes]));
  const sealingKeys = keys.macs(sealingLabel, request);
  const [current, ...earlierKeys] = ids.map((id, i) => ({
    id,
    bodyHash: bodyHashes[i] as string,
    sealingKey: Buffer.from(sealingKeys[i] as string, 'base64url'),
    earlierKeys: [],
  }));
  return { ...(current as IdempotencyKey), earlierKeys };
}

export async function hasStoredResponse({ database, now }: Context, key: IdempotencyKey | undefined): Promise<boolean> {
  if (!key) return false;
  const stored = await database.db
    .selectFrom('idempotency_keys')
    .select('id')
    .where('id', 'in', [key.id, ...key.earlierKeys.map(({ id }) => id)])
    .where('created_at', '>=', now() - retentionMs)
    .executeTakeFirst();
  return stored !== undefined;
}

/**
 * Inserts the key in the transaction of the write. A second request with the key waits until the first one commits (on PostgreSQL by the
 * unique key, on SQLite by the single writer) and then gets its response. If the write fails, the key is rolled back with it.
 */
export async function claimKey(tx: Tx, key: IdempotencyKey, now: number): Promise<StoredResponse | undefined> {
  for (const earlierKey of key.earlierKeys) {
    const stored = await readStoredResponse(tx, earlierKey, now);
    if (stored) return stored;
  }
  await tx
    .deleteFrom('idempotency_keys')
    .where('id', '=', key.id)
    .where('created_at', '<', now - retentionMs)
    .execute();
  const row = { id: key.id, body_hash: key.bodyHash, status: null, headers: null, body: null, created_at: now };
  if (await insertIfAbsent(tx, 'idempotency_keys', row, 'id')) return undefined;
  const stored = await readStoredResponse(tx, key, now);
  if (!stored) throw inProgressError();
  return stored;
}

const inProgressError = () => conflict('The first request with this Idempotency-Key is still in progress.');

async function readStoredResponse(tx: Tx, key: IdempotencyKey, now: number): Promise<StoredResponse | undefined> {
  const stored = await tx
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('id', '=', key.id)
    .where('created_at', '>=', now - retentionMs)
    .executeTakeFirst();
  if (!stored) return undefined;
  if (!stored.status) throw inProgressError();
  if (stored.body_hash !== key.bodyHash) {
    throw new Problem(
      422,
      'Unprocessable Content',
      'This Idempotency-Key was used with another body, or with a token that has other rights.',
      { code: 'idempotency_key_reused' },
    );
  }
  const body = decrypt(key.sealingKey, stored.body ?? '', sealingLabel);
  if (!body) throw new Error('a stored response cannot be opened with its key');
  return JSON.parse(body.toString());
}

export async function storeResponse(tx: Tx, { id, sealingKey }: IdempotencyKey, response: StoredResponse) {
  await tx
    .updateTable('idempotency_keys')
    .set({ status: 201, body: encrypt(sealingKey, Buffer.from(JSON.stringify(response)), sealingLabel) })
    .where('id', '=', id)
    .execute();
}

/** Responses that were stored under replaced keys cannot be found or decrypted any more. */
export const deleteStoredResponses = (tx: Tx) => tx.deleteFrom('idempotency_keys').execute();

export const pruneIdempotencyKeys = (context: Context): Promise<number> =>
  pruneBefore(context, 'idempotency_keys', 'created_at', context.now() - retentionMs);
