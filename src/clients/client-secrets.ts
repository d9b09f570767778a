import { randomBytes } from 'node:crypto';
import type { Context } from '../context.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import type { Change } from '../database/bus.ts';
import type { Tx } from '../database/database.ts';
import { endSecrets, insertSecret, lockClient, type StoredClient } from './client-store.ts';

/** Secrets are random, so a keyed hash is enough: slow hashing is for what people choose. */
const purpose = 'client secret';
const hashed = (clientId: string, secret: string) => `${clientId}\n${secret}`;

function hashSecret(keys: KeyRing, clientId: string, secret: string): { hash: string; keyId: string } {
  const keyId = keys.macKeyId();
  return { hash: keys.macUnder(keyId, purpose, hashed(clientId, secret)) as string, keyId };
}

/** Whether the client has this secret now. */
export function isSecretOf(keys: KeyRing, client: StoredClient, secret: string, now: number): boolean {
  const data = hashed(client.id, secret);
  return client.secrets.some(
    ({ secret_hash, key_id, expires_at }) =>
      (expires_at === null || expires_at > now) && keys.matches(purpose, data, secret_hash, key_id),
  );
}

/** Gives a client a new secret, which only the return value ever shows; the old ones end, at once or in some hours. */
export async function addClientSecret(
  { database, now }: Context,
  keys: KeyRing,
  tx: Tx,
  tell: (change: Change) => void,
  {
    clientId,
    secret = randomBytes(32).toString('base64url'),
    oldHours = 0,
  }: { clientId: string; secret?: string; oldHours?: number },
): Promise<string> {
  const at = now();
  await lockClient(tx, database.engine, clientId);
  await endSecrets(tx, clientId, at + oldHours * 3_600_000, at);
  await insertSecret(tx, clientId, hashSecret(keys, clientId, secret), at);
  tell({ kind: 'client', id: clientId });
  return secret;
}
