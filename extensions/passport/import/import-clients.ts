import type { Invalidate } from '../../../src/database/bus.ts';
import type { Tx } from '../../../src/database/database.ts';
import { createClient, findClient, removeClient } from '../../../src/oauth/clients/client-store.ts';
import { checkRedirectUri } from '../../../src/oauth/clients/client-uris.ts';
import { identityScopes } from '../../../src/oauth/clients/scopes/scopes.ts';
import { addClientSecret, isSecretOf } from '../../../src/oauth/clients/secrets/client-secrets.ts';
import { endSecrets, importedKeyId, insertSecret } from '../../../src/oauth/clients/secrets/secret-store.ts';
import {
  deleteLegacyIds,
  findLegacyIds,
  type LegacyIdRow,
  personalAccessSource,
  saveLegacyIds,
} from '../legacy-tokens/legacy-id-store.ts';
import { findNewId } from '../legacy-tokens/legacy-token-store.ts';
import { select } from '../source/layout.ts';
import { pages } from '../source/source.ts';
import { type ClientRecord, clientColumns, readClient } from './client-record.ts';
import { type ClientBounds, convertToApplication, setClientBounds } from './client-target-store.ts';
import { countLiveLogins, endLoginsOf, type LoginFilter } from './logins/login-store.ts';
import { batchSize, type Pass } from './pass.ts';
import { tableOfModel } from './users/role-names.ts';
import { findUsersByIds, hasOtherRealms, inBatch } from './users/user-target-store.ts';

export const clientSource = 'oauth_clients';
const maxNameLength = 100;
const [providerSource, typeSource] = [`${clientSource}.provider`, `${clientSource}.type`];

/** An imported client, with the data that its tokens need. */
export interface ImportedClient
  extends Pick<ClientRecord, 'id' | 'type' | 'grants' | 'issuesPersonalTokens' | 'hasRedirects'> {
  /** The user table of its tokens. */
  readonly table: string;
  readonly canAuthenticate: boolean;
}

export async function importClients(pass: Pass): Promise<ReadonlyMap<string, ImportedClient>> {
  const { source, plan, findings } = pass;
  const table = plan.layout.require('oauth_clients', ['id'], 'Is this the database of a Passport service?');
  const counts = findings.countsOf(table.name);
  const imported = new Map<string, ImportedClient>();
  const tables = new Set([...plan.userTables.values()].map(({ name }) => name));
  // An earlier pass may have had more tables. Their users stay separate.
  const hasSeveralRealms = tables.size > 1 || (await hasOtherRealms(pass.context.database.db));
  for await (const rows of pages(source, select(table, 'id', clientColumns), batchSize)) {
    const records = rows.map((row) => readClient(row, plan.clock));
    await inBatch(pass.context.database, async (tx, invalidate) => {
      const ids = records.map(({ id }) => id);
      const legacyIds = await findLegacyIds(tx, clientSource, ids);
      for (const record of records) {
        counts.read++;
        const client = await importClient(pass, tx, invalidate, record, {
          before: legacyIds.get(record.id),
          hasSeveralRealms,
        });
        if (client) imported.set(record.id, client);
      }
    });
    pass.progress({ table: table.name, completed: counts.read, total: counts.read });
  }
  return imported;
}

async function importClient(
  pass: Pass,
  tx: Tx,
  invalidate: Invalidate,
  record: ClientRecord,
  { before, hasSeveralRealms }: { before: LegacyIdRow | undefined; hasSeveralRealms: boolean },
): Promise<ImportedClient | undefined> {
  const { findings, plan, number, at } = pass;
  const counts = findings.countsOf(plan.clientsTable);
  if (record.revoked || !/^[\x21-\x7e]{1,128}$/.test(record.id)) {
    counts.skip(record.revoked ? 'revoked there' : 'its id is not valid in Gatehouse');
    if (before) await endClient(pass, tx, invalidate, record.id);
    return undefined;
  }
  const userTable = plan.userTables.get(record.provider);
  if (!userTable) {
    counts.skip('the users table of its provider was not named');
    findings.decide(
      'providers',
      `Nothing is imported until the users table of the provider "${record.provider}" is named: --provider ${record.provider}=TABLE`,
      `client ${record.id}`,
    );
    return undefined;
  }
  const existing = await findClient(tx, record.id, { ofDisabledOwners: true });
  // The client got a redirect URI in the old service since the last pass.
  const becomesApplication = before && record.type === 'application' && existing?.type === 'personal';
  if (existing && existing.type !== record.type && !becomesApplication) {
    counts.skip('another client in Gatehouse has its id');
    findings.decide(
      'client-id',
      'Clients whose id another client of this service has: they were not imported',
      record.id,
    );
    if (before) await saveLegacyIds(tx, [{ ...before, pass: number }]);
    return undefined;
  }
  if (before && !existing) {
    counts.skip('deleted here');
    await saveLegacyIds(tx, [{ ...before, pass: number }]);
    return undefined;
  }
  const [previous, previousSecret] = before?.fingerprint.split('.') ?? [];
  const isChanged = previous !== record.fingerprint;
  const userId = record.type === 'password' || !record.owner ? null : await ownerOf(pass, tx, record.owner);
  const { fields, refused } = applicationOf(record);
  const bounds = boundsOf(record, hasSeveralRealms ? userTable.realm : null);
  if (!existing) {
    const scopes = defaultScopes[record.type];
    const created = Math.min(record.createdAt ?? at, at);
    const client = { id: record.id, type: record.type, name: nameOf(pass, record), userId, scopes };
    await createClient(tx, { ...client, ...fields, ...bounds }, created);
  } else if (fields && isChanged) {
    const scopes = [...new Set([...existing.scopes, ...defaultScopes.application])];
    await convertToApplication(tx, invalidate, record.id, { ...fields, scopes }, at);
  }
  if (existing && (await setClientBounds(tx, record.id, bounds, at))) {
    invalidate({ kind: 'client', id: record.id });
    if (bounds.realm !== null && existing.realm !== bounds.realm) {
      const cause = 'their client belongs to another provider now';
      await countSignedOut(pass, tx, record.id, cause, { outsideRealm: bounds.realm });
    }
  }
  if (!before) counts.taken++;
  else if (isChanged) counts.updated++;
  else counts.unchanged++;
  // If only other values changed, a secret that was created here stays valid.
  if (isChanged && previousSecret !== record.secretFingerprint)
    await setSecret(pass, tx, invalidate, record, existing !== undefined && !before);
  const fingerprint = `${record.fingerprint}.${record.secretFingerprint}`;
  const row = { old_id: record.id, fingerprint, version: 1, pass: number };
  await saveLegacyIds(tx, [
    { ...row, source: clientSource, new_id: record.id },
    { ...row, source: providerSource, new_id: userTable.source },
    { ...row, source: typeSource, new_id: record.type },
    { ...row, source: personalAccessSource, new_id: String(record.issuesPersonalTokens) },
  ]);
  const canAuthenticate = typeof record.secret === 'object' || fields?.public === true || bounds.public === true;
  const hasSecret = (existing?.secrets.length ?? 0) > 0;
  reportChanges(pass, record, { canAuthenticate, hasSecret });
  for (const uri of refused) {
    findings.decide(
      'redirect-uris',
      'Redirect URIs that Gatehouse does not allow: they were omitted',
      `${record.id}: ${uri}`,
    );
  }
  return { ...record, table: userTable.source, canAuthenticate };
}

const defaultScopes = { password: ['*'], personal: [], application: identityScopes };

/** If there are several user tables, a client is limited to the realm of its table. A client without a secret stays public. */
function boundsOf({ type, secret, actsForItself, grants }: ClientRecord, realm: string | null): ClientBounds {
  if (type === 'password') {
    return { realm, public: secret === 'none', grant_types: actsForItself ? ['client_credentials'] : [] };
  }
  if (type === 'application') return { realm, grant_types: grants ?? [] };
  // An empty list lets a personal client use client_credentials. A client that names only other grants may not use it.
  return { realm, grant_types: grants === undefined || actsForItself ? [] : ['personal_access'] };
}

function nameOf({ findings }: Pass, { id, name }: ClientRecord): string {
  if (name.length <= maxNameLength) return name;
  findings.addNote(`Names of clients with more than ${maxNameLength} characters: they were shortened`, id);
  return name.slice(0, maxNameLength);
}

/** A client without a secret uses PKCE in the old service and in this one. */
function applicationOf({ type, secret, redirectUris }: ClientRecord) {
  if (type !== 'application') return { fields: undefined, refused: [] };
  const allowed = [...new Set(redirectUris)].filter((uri) => checkRedirectUri(uri) === undefined);
  const refused = redirectUris.filter((uri) => !allowed.includes(uri)).map((uri) => uri.slice(0, 100));
  return { fields: { public: secret === 'none', redirect_uris: allowed }, refused };
}

/** Adds the old service's secret. A client of the settings also keeps the secret of the settings. */
async function setSecret(
  { context, keys, at }: Pass,
  tx: Tx,
  invalidate: Invalidate,
  { id: clientId, secret }: ClientRecord,
  isOfSettings: boolean,
): Promise<void> {
  if (typeof secret !== 'object') return;
  if (secret.form === 'plain') {
    const client = await findClient(tx, clientId, { ofDisabledOwners: true });
    if (client && isSecretOf(keys, client, secret.value, at)) return;
    await addClientSecret(context, keys, tx, invalidate, {
      clientId,
      secret: secret.value,
      oldHours: isOfSettings ? 720 : 0,
    });
    return;
  }
  if (!isOfSettings) await endSecrets(tx, clientId, at, at);
  await insertSecret(tx, clientId, { hash: secret.value, keyId: importedKeyId }, at);
  invalidate({ kind: 'client', id: clientId });
}

async function ownerOf(pass: Pass, tx: Tx, { id, model }: NonNullable<ClientRecord['owner']>): Promise<string | null> {
  const table = model === null ? pass.plan.defaultUsers.source : tableOfModel(pass, model);
  const userId = table === undefined ? undefined : await findNewId(tx, table, id);
  if (userId === undefined) return null;
  // The user may have been deleted here.
  return (await findUsersByIds(tx, [userId])).has(userId) ? userId : null;
}

/** The client was revoked in the old service. Its tokens end with it. */
export async function endClient(pass: Pass, tx: Tx, invalidate: Invalidate, id: string): Promise<void> {
  await countSignedOut(pass, tx, id, 'their client was revoked or deleted in the old service');
  await endLoginsOf(tx, 'client_id', id, pass.at);
  await removeClient(tx, invalidate, id);
  for (const source of [clientSource, providerSource, typeSource, personalAccessSource])
    await deleteLegacyIds(tx, source, [id]);
  pass.findings.countsOf(pass.plan.clientsTable).ended++;
}

async function countSignedOut(
  { findings, at }: Pass,
  tx: Tx,
  clientId: string,
  cause: string,
  filter?: LoginFilter,
): Promise<void> {
  for (const { userId, logins } of await countLiveLogins(tx, 'client_id', clientId, at, filter)) {
    findings.signedOut(cause, userId, logins);
  }
}

function reportChanges(
  { findings }: Pass,
  { id, name, type, secret, hasRedirects, isLimited }: ClientRecord,
  { canAuthenticate, hasSecret }: { canAuthenticate: boolean; hasSecret: boolean },
): void {
  const label = `${id} (${name.slice(0, maxNameLength)})`;
  if (type === 'password' && isLimited) {
    findings.decide(
      'client-limits',
      'Password clients whose scopes are limited in the old service (oauth_clients.scopes) may request every scope in Gatehouse',
      label,
    );
  }
  if (secret === 'unknown') {
    if (hasSecret) return;
    findings.decide(
      'client-secret',
      'Clients whose secret has an unknown format: create new secrets with npx gatehouse-server client secret',
      label,
    );
  } else if (!canAuthenticate) {
    findings.addNote(
      'Clients without a secret that act for no user: their access tokens work until they expire, and they get no new ones',
      label,
    );
  } else if (hasRedirects) {
    findings.addNote(
      'Clients that sign people in by authorization codes: their logins go on. New ones take PKCE where there is no secret, and the scope offline_access for a refresh token',
      label,
    );
  }
}
