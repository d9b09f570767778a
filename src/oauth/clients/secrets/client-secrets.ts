import type { Invalidate } from '../../../database/bus.ts';
import type { Context } from '../../../database/context.ts';
import type { Db, Tx } from '../../../database/database.ts';
import type { KeyRing } from '../../../database/keys/key-ring.ts';
import type { RequestSource } from '../../../http/request-source.ts';
import { conflict } from '../../../platform/errors.ts';
import { recordEvent } from '../../../resources/audit/record-event.ts';
import { changesBetween } from '../../../resources/write/changes.ts';
import { invalidClient } from '../client-rules.ts';
import {
  createClient,
  lockClient,
  lockKeys,
  type NewClient,
  type StoredClient,
  withDefaults,
} from '../client-store.ts';
import { endSecrets, type HashedSecret, insertSecret, listSecrets, lockSecret } from './secret-store.ts';
import { createShortToken, hashShortToken, shortTokenKind } from './short-token.ts';

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

/** Like `requireSecret`, also for a client that authenticated by its keys. */
export async function requireCredentials(context: Context, tx: Tx, client: AuthenticatedClient): Promise<void> {
  if (!authenticatesByKeys(client)) return requireSecret(context, tx, client.secretId);
  if (!(await lockKeys(tx, client))) throw invalidClient('the keys changed meanwhile');
}

export const authenticatesByKeys = ({ secretId, token_endpoint_auth_method: method }: AuthenticatedClient): boolean =>
  secretId === undefined && method === 'private_key_jwt';

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
  if ((await listSecrets(tx, clientId, at)).length >= maxSecrets)
    throw conflict(`The client has ${maxSecrets} active secrets. Create one that does not keep the old secrets.`);
  await insertSecret(tx, clientId, hashSecret(keys, clientId, secret), at);
  invalidate({ kind: 'client', id: clientId });
  return secret;
}

/** Each wrong secret is compared with all of them. */
const maxSecrets = 10;

interface RecordedClient extends NewClient {
  readonly actorId: string | null;
  /** The part of the service that created the client, if no user did. */
  readonly by?: string;
  readonly source: RequestSource;
}

/** Creates a client, its audit event and, unless it needs none, its secret. Undefined if the id is taken. */
export async function createClientWithSecret(
  context: Context,
  keys: KeyRing,
  tx: Tx,
  invalidate: Invalidate,
  { actorId, source, by, ...newClient }: RecordedClient,
): Promise<{ id: string; userId: string | null; secret?: string } | undefined> {
  const { type, scopes } = newClient;
  const client = await createClient(tx, newClient, context.now());
  if (!client) return undefined;
  const clientId = client.id;
  const needsNoSecret = newClient.public || newClient.token_endpoint_auth_method === 'private_key_jwt';
  const secret = needsNoSecret ? {} : { secret: await addClientSecret(context, keys, tx, invalidate, { clientId }) };
  await recordEvent(context, tx, {
    type: 'client.created',
    userId: client.user_id,
    clientId: client.id,
    actorId,
    source,
    data: { ...(by ? { by } : {}), type, scopes, changes: changesBetween(undefined, auditedFields(newClient)) },
  });
  return { id: clientId, userId: client.user_id, ...secret };
}

/** The fields by their API names, for the audit trail. */
function auditedFields({ type, name, scopes, ...applicationFields }: NewClient): Record<string, unknown> {
  if (type !== 'application') return { type, name, scopes };
  return { type, name, scopes, ...withDefaults(applicationFields) };
}
