import type { Invalidate } from '../../../database/bus.ts';
import type { Context } from '../../../database/context.ts';
import type { Db, Tx } from '../../../database/database.ts';
import type { KeyRing } from '../../../database/keys/key-ring.ts';
import { createShortToken, hashShortToken, shortTokenKind } from '../../../platform/short-token.ts';
import { invalidClient } from '../client-errors.ts';
import { endSecrets, type HashedSecret, insertSecret, lockClient, type StoredClient } from '../client-store.ts';
import { lockSecret } from './secret-store.ts';

/** Secrets are random, so a keyed hash is enough. Slow hashes are for passwords. */
const purpose = 'client secret';
const hashInput = (clientId: string, secret: string) => `${clientId}\n${secret}`;

function hashSecret(keys: KeyRing, clientId: string, secret: string): HashedSecret {
  const keyId = keys.macKeys.currentId();
  const valueHash = shortTokenKind(secret) === 'sec' ? hashShortToken(secret) : null;
  return { hash: keys.macKeys.macWithKey(keyId, purpose, hashInput(clientId, secret)) as string, keyId, valueHash };
}

/** A client, and the secret with which it authenticated. Each write for the client checks that this secret is still active. */
export interface AuthenticatedClient extends StoredClient {
  /** Undefined for a public client, which has no secret. */
  readonly secretId?: string;
}

type StoredSecret = StoredClient['secrets'][number];

export const isActive = ({ expires_at }: StoredSecret, now: number): boolean => expires_at === null || expires_at > now;

/** The client's active secret with this value. */
export function findSecret(keys: KeyRing, client: StoredClient, value: string, now: number): StoredSecret | undefined {
  const data = hashInput(client.id, value);
  return client.secrets.find(
    (secret) => isActive(secret, now) && keys.macKeys.matches(purpose, data, secret.secret_hash, secret.key_id),
  );
}

export const isSecretOf = (keys: KeyRing, client: StoredClient, secret: string, now: number): boolean =>
  findSecret(keys, client, secret, now) !== undefined;

/** Throws if the client's secret ended in the meantime. In a transaction, the secret then stays active until the commit. */
export async function requireSecret({ now }: Context, db: Db | Tx, secretId: string | undefined): Promise<void> {
  if (secretId === undefined || (await lockSecret(db, secretId, now()))) return;
  throw invalidClient('the secret ended meanwhile');
}

/** Adds a secret to a client and returns it. It is never shown again. The old secrets end now or after some hours. */
export async function addClientSecret(
  { now }: Context,
  keys: KeyRing,
  tx: Tx,
  invalidate: Invalidate,
  {
    clientId,
    secret = createShortToken('sec'),
    oldHours = 0,
  }: { clientId: string; secret?: string; oldHours?: number },
): Promise<string> {
  const at = now();
  await lockClient(tx, clientId);
  await endSecrets(tx, clientId, at + oldHours * 3_600_000, at);
  await insertSecret(tx, clientId, hashSecret(keys, clientId, secret), at);
  invalidate({ kind: 'client', id: clientId });
  return secret;
}
