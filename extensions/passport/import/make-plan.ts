import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defaultRealm } from '../../../src/identity/accounts/user.ts';
import { OperatorError, reasonOf } from '../../../src/platform/errors.ts';
import { readAppKey, readPreviousKeys } from '../source/laravel-env.ts';
import { Layout, select } from '../source/layout.ts';
import { pages, type Source } from '../source/source.ts';
import { WallClock } from '../source/wall-clock.ts';
import { clientColumns, readClient } from './client-record.ts';
import { batchSize, type ImportSettings, type Plan, type UserTable } from './pass.ts';

/** Reads and checks all input of a pass, before anything is written. */
export async function makePlan(source: Source, settings: ImportSettings): Promise<Plan> {
  const { env } = settings;
  const layout = new Layout(await source.tables(), settings.prefix ?? (env.get('DB_PREFIX') || undefined));
  layout.require('oauth_access_tokens', ['id', 'client_id', 'revoked'], 'Is this the database of a Passport service?');
  const clients = layout.require(
    'oauth_clients',
    ['id', 'name', 'revoked'],
    'Is this the database of a Passport service?',
  );
  const clock = new WallClock(settings.timezone ?? (env.get('APP_TIMEZONE') || 'UTC'));
  const { defaultUsers, userTables } = findUserTables(layout, settings);
  const columnsOfOptions: [string, string][] = [
    ...settings.disableWhere.map(({ column }): [string, string] => ['--disable-where', column]),
    ...[...settings.map.fields.keys()].map((column): [string, string] => ['--map', column]),
  ];
  for (const [option, column] of columnsOfOptions) {
    if ([...userTables.values()].some(({ columns }) => columns.has(column))) continue;
    throw new OperatorError(`${option}: no table of users has a column "${column}".`);
  }
  return {
    ...settings,
    layout,
    clock,
    clientsTable: clients.name,
    defaultUsers,
    userTables,
    ...readPublicKey(settings),
    appKey: readAppKey(env),
    decryptionKeys: [readAppKey(env), ...readPreviousKeys(env)],
    hashedIds: {
      salt: env.get('HASH_ID_KEY') || (env.get('APP_KEY') as string),
      length: env.get('HASH_ID_LENGTH') ? Number(env.get('HASH_ID_LENGTH')) : undefined,
    },
    dryRun: settings.dryRun || (await lacksUserTable(source, { layout, clock, userTables })),
  };
}

function findUserTables(layout: Layout, { users = 'users', providers }: ImportSettings) {
  const find = (name: string, realm: string, option: string): UserTable => ({
    ...layout.require(name, ['id'], `Name the users table with ${option}.`, true),
    source: name,
    realm,
  });
  const defaultUsers = find(users, defaultRealm, '--users TABLE');
  const userTables = new Map([['', defaultUsers]]);
  for (const [provider, table] of providers) {
    // Two providers may share a table. Its users have one realm.
    const existing = [...userTables.values()].find(({ source: name }) => name === table);
    const realm = provider === defaultRealm ? table : provider;
    userTables.set(provider, existing ?? find(table, realm, `--provider ${provider}=TABLE`));
  }
  if (!userTables.has('users')) userTables.set('users', defaultUsers);
  return { defaultUsers, userTables };
}

/** Whether the table of a live client's provider was not named. Then the user ids of its tokens are ambiguous. */
async function lacksUserTable(
  source: Source,
  { layout, clock, userTables }: Pick<Plan, 'layout' | 'clock' | 'userTables'>,
) {
  const clients = layout.require('oauth_clients', ['id'], '');
  for await (const rows of pages(source, select(clients, 'id', clientColumns), batchSize)) {
    const records = rows.map((row) => readClient(row, clock));
    if (records.some(({ provider, revoked }) => !revoked && !userTables.has(provider))) return true;
  }
  return false;
}

/** Like Passport: PASSPORT_PUBLIC_KEY takes precedence over the file. */
function readPublicKey({ env, envPath, publicKeyPath }: ImportSettings): Pick<Plan, 'publicKey' | 'publicKeyFrom'> {
  const beside = envPath === undefined ? undefined : resolve(dirname(envPath), 'storage/oauth-public.key');
  const path = publicKeyPath ?? (beside !== undefined && existsSync(beside) ? beside : undefined);
  const inEnv = env.get('PASSPORT_PUBLIC_KEY')?.replaceAll('\\n', '\n');
  const text = inEnv || (path === undefined ? undefined : readKeyFile(path));
  const from = inEnv ? `PASSPORT_PUBLIC_KEY of ${envPath}` : `the file ${path}`;
  if (!text) {
    throw new OperatorError(
      'The public key is missing: pass storage/oauth-public.key of the old service with --public-key.',
    );
  }
  if (text.includes('PRIVATE KEY')) {
    throw new OperatorError(
      `The public key (${from}) contains a private key. Only oauth-public.key is needed: keep the private key to yourself.`,
    );
  }
  let key: KeyObject;
  try {
    key = createPublicKey(text);
  } catch {
    throw new OperatorError(`The public key (${from}) is not a public key in PEM format, such as oauth-public.key.`);
  }
  if (key.asymmetricKeyType !== 'rsa') {
    throw new OperatorError('The public key is not an RSA key: Passport signs with RSA.');
  }
  const unused = inEnv && path !== undefined ? `. The file ${path} was not used, as in Passport` : '';
  return { publicKey: key, publicKeyFrom: `${from}${unused}` };
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new OperatorError(`--public-key: ${path} could not be read: ${reasonOf(error)}`);
  }
}
