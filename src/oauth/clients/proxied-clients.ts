import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { minSecretLength, type ProxiedClient } from '../../config/config.ts';
import { commitAndInvalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { systemSource } from '../../http/request-source.ts';
import { OperatorError, reasonOf } from '../../platform/errors.ts';
import { createServiceFolder, readIfExists, writePrivateFile } from '../../platform/files.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { createClient, findClient, lockClient, type StoredClient } from './client-store.ts';
import { everyScope } from './scopes/scopes.ts';
import { addClientSecret, isSecretOf } from './secrets/client-secrets.ts';

const webAdmin = { path: 'web/admin', id: 'web-admin' };

/** At start: stores the clients of the settings, and the web admin client, with their secrets. */
export async function ensureProxiedClients(context: Context, keys: KeyRing): Promise<readonly ProxiedClient[]> {
  const { config } = context;
  const configured = config.proxiedClients;
  // The console always needs the web admin client.
  const clients = configured.some(({ path }) => path === webAdmin.path)
    ? configured
    : [...configured, await keepWebAdmin(context, keys)];
  for (const client of clients) {
    await ensureClient(context, keys, client);
    if (Buffer.byteLength(client.secret) < minSecretLength) {
      context.log.warn({ client: client.id }, `the secret of this client has fewer than ${minSecretLength} bytes`);
    }
  }
  return clients;
}

/** While the service runs: creates new secrets after the keys were replaced, because the old hashes are void. */
export async function recreateProxiedClients(context: Context, keys: KeyRing): Promise<void> {
  try {
    await ensureProxiedClients(context, keys);
  } catch (error) {
    context.log.error({ err: error }, 'the clients of the settings have no secret until the next start');
  }
}

/** Derives the secret from the keys, so that every instance has the same. The secret keeps its key as long as the key exists. */
async function webAdminSecret({ database, now }: Context, keys: KeyRing): Promise<string> {
  const purpose = 'proxied client';
  const client = await findClient(database.db, webAdmin.id);
  for (const { key_id } of client?.secrets ?? []) {
    const secret = key_id === null ? undefined : keys.macKeys.macWithKey(key_id, purpose, webAdmin.path);
    if (client && secret && isSecretOf(keys, client, secret, now())) return secret;
  }
  return keys.macKeys.mac(purpose, webAdmin.path);
}

/** The operator may want to use the client directly and can read its secret in this file. The service never reads the file. */
async function keepWebAdmin(context: Context, keys: KeyRing): Promise<ProxiedClient> {
  const client = { ...webAdmin, secret: await webAdminSecret(context, keys) };
  const { dataDir } = context.config;
  const path = join(dataDir, 'clients.json');
  const content = `${JSON.stringify({ [webAdmin.path]: { id: client.id, secret: client.secret } }, null, 2)}\n`;
  // Another process may start at the same time.
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    if (readIfExists(path) === content) return client;
    createServiceFolder(dataDir);
    writePrivateFile(draft, content);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new OperatorError(`${path} could not be written: ${reasonOf(error)}. Check DATA_DIR and its permissions.`);
  }
  return client;
}

async function ensureClient(context: Context, keys: KeyRing, proxied: ProxiedClient): Promise<void> {
  const { database, log, now } = context;
  const { path, id, secret } = proxied;
  const name = path.replace('/', ' ');
  const isOurs = (client: StoredClient | undefined): client is StoredClient =>
    client?.type === 'password' && client.userId === null;
  const existing = await findClient(database.db, id);
  // The usual case. It takes no lock, so a start does not wait for writes through this client.
  if (isOurs(existing) && isSecretOf(keys, existing, secret, now())) return;
  await commitAndInvalidate(database, async (tx, invalidate) => {
    const created = await createClient(tx, { id, type: 'password', name, userId: null, scopes: [everyScope] }, now());
    await lockClient(tx, id);
    const client = await findClient(tx, id);
    if (!isOurs(client)) {
      throw new OperatorError(
        `The client "${id}" for ${path} is a personal client in the database. Give the login proxy another client id.`,
      );
    }
    if (isSecretOf(keys, client, secret, now())) return;
    await addClientSecret(context, keys, tx, invalidate, { clientId: id, secret });
    const type = created ? 'client.created' : 'client.secret_added';
    await recordEvent(context, tx, { type, clientId: id, source: systemSource, data: { by: 'settings' } });
    log.info({ client: id }, created ? 'created the client' : 'set the secret of the client to that of the settings');
  });
}
