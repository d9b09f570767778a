import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { suggestName } from '../platform/closest-name.ts';
import { OperatorError } from '../platform/errors.ts';
import { showValue } from '../platform/json-text.ts';
import { redactSecrets } from '../platform/log.ts';
import { importFile } from './import-file.ts';
import { rejectMisspelling, rejectUnknownInEnvFile } from './settings/misspelt-setting.ts';
import { completeProviders, type ProviderSettings, readProviderSetting } from './settings/provider-settings.ts';
import {
  type ClientSettings,
  completeClient,
  type ProxiedClient,
  readClientSetting,
  readClientsFromConfigFile,
} from './settings/proxied-client.ts';
import type { Setting } from './settings/setting.ts';
import { settings } from './settings/settings.ts';

export type { ProxiedClient } from './settings/proxied-client.ts';

export const loginAttributes = ['email', 'username', 'phone'] as const;
export type LoginAttribute = (typeof loginAttributes)[number];

/** A shorter client secret works, but Gatehouse warns at startup that it can be guessed. */
export const minSecretLength = 16;

type Settings = typeof settings;
export type Config = { readonly [K in keyof Settings]: Settings[K] extends Setting<infer T, unknown> ? T : never } & {
  readonly proxiedClients: readonly ProxiedClient[];
  /** Built-in identity providers that the settings name. */
  readonly builtinProviders: readonly ProviderSettings[];
  /** The folder of `gatehouse.config.ts`. Relative paths start here. */
  readonly workingDir: string;
};

/** The content of `gatehouse.config.ts`: any setting, and `clients` by their path, such as `web/admin` or `web`. */
export type ConfigFile = {
  [K in keyof Settings]?: Settings[K] extends Setting<infer T, infer Also> ? T | Also | string : never;
} & {
  'login-page-url'?: string;
  require_email_confirmation?: boolean | string;
  'force-accept-header'?: boolean | string;
  login?: readonly LoginAttribute[] | string;
} & { clients?: Record<string, { id: string; secret: string }> } & {
  [name in `CLIENT_${string}_${'ID' | 'SECRET'}`]?: string;
} & {
  [name in `PROVIDER_${string}_${'ID' | 'SECRET' | 'SECRET_EXPIRES' | 'TENANT' | 'ISSUER'}`]?: string;
};

/** Gives `gatehouse.config.ts` its types; the value passes through unchanged. */
export const defineConfig = (config: ConfigFile): ConfigFile => config;

const aliases = new Map<string, keyof Settings>([
  ['login-page-url', 'loginPageUrl'],
  ['require_email_confirmation', 'requireEmailConfirmation'],
  ['force-accept-header', 'forceAcceptHeader'],
  ['login', 'loginAttributes'],
]);

const projectDirs = [
  'resourcesDir',
  'routesDir',
  'jobsDir',
  'migrationsDir',
  'seedsDir',
  'viewsDir',
  'languagesDir',
  'providersDir',
] as const;

const isSetting = (name: string): name is keyof Settings => Object.hasOwn(settings, name);
const settingsByKey = new Map(Object.entries(settings) as [keyof Settings, Setting<unknown>][]);
const keysByEnv = new Map([...settingsByKey].map(([key, setting]) => [setting.env, key]));

const envNames = [...keysByEnv.keys()];

/** A setting that is not marked as secret can still contain a password by mistake. Messages do not show it. */
const show = (value: unknown): string => redactSecrets(typeof value === 'string' ? `"${value}"` : showValue(value));

function parse(name: string, key: keyof Settings, value: unknown): unknown {
  const setting = settings[key];
  const result = setting.parse(value);
  if (result.ok) return result.value;
  const shownValue = setting.secret ? 'a value that is not shown' : show(value);
  throw new OperatorError(`${name}: got ${shownValue}; expected ${setting.expected}. (${setting.description})`);
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the settings from the config file, `.env` and the environment. The environment wins, and then `.env`. */
export function parseConfig(
  file: Record<string, unknown>,
  env: Variables,
  workingDir: string,
  envFile: Variables = {},
): Config {
  const values = new Map<keyof Settings, unknown>();
  const clients = new Map<string, ClientSettings>();
  const providers: Parameters<typeof readProviderSetting>[2] = new Map();

  collectErrors(Object.entries(file), ([name, value]) => {
    if (name === 'clients') return readClientsFromConfigFile(value, clients);
    if (name.startsWith('CLIENT_')) return readClientSetting(name, value, clients);
    if (name.startsWith('PROVIDER_')) return readProviderSetting(name, value, providers);
    const key = aliases.get(name) ?? (isSetting(name) ? name : undefined);
    if (!key)
      throw unknownSetting(`gatehouse.config.ts: "${name}"`, name, [
        ...settingsByKey.keys(),
        ...aliases.keys(),
        'clients',
      ]);
    if (value === undefined) return;
    if (values.has(key))
      throw new OperatorError(
        `gatehouse.config.ts: "${name}" is another name of a setting that is already set. Remove one.`,
      );
    values.set(key, parse(`gatehouse.config.ts: ${name}`, key, value));
  });
  collectErrors(Object.entries({ ...envFile, ...env }), ([name, value]) => {
    if (value === undefined || value === '') return;
    const key = keysByEnv.get(name);
    if (key) values.set(key, parse(name, key, value));
    else if (name.startsWith('CLIENT_')) readClientSetting(name, value, clients);
    else if (/^PROVIDER_[A-Z]+_(ID|SECRET|SECRET_EXPIRES|TENANT|ISSUER)$/.test(name))
      readProviderSetting(name, value, providers);
    else if (name in envFile) rejectUnknownInEnvFile(name, envNames);
    else rejectMisspelling(name, envNames);
  });

  const entries = [...settingsByKey].map(([key, setting]) => [
    key,
    values.has(key) ? values.get(key) : setting.default,
  ]);
  const config = { workingDir, ...Object.fromEntries(entries) } as { -readonly [K in keyof Config]: Config[K] };
  config.proxiedClients = Object.freeze([...clients].map(([path, client]) => completeClient(path, client)));
  // A code by email is a way to sign in too.
  if (!config.localPasswords) config.emailCodes = false;
  config.builtinProviders = completeProviders(providers);
  for (const key of ['dataDir', ...projectDirs] as const) config[key] = resolve(workingDir, config[key]);
  for (const key of projectDirs) if (values.has(key)) rejectMissingFolder(settings[key], config[key]);
  if (config.brandLogo && !/^https?:/.test(config.brandLogo)) config.brandLogo = resolve(workingDir, config.brandLogo);
  if (!config.databaseUrl) config.databaseUrl = `sqlite:${resolve(config.dataDir, 'gatehouse.db')}`;
  rejectWithoutPostgres(config.databaseUrl, values);
  rejectUnknownRoles(config.roles, Object.keys(config.roleScopes));
  // With SQLite there is no other instance for a load balancer.
  if (!values.has('drainSeconds') && config.databaseUrl.startsWith('sqlite:')) config.drainSeconds = 0;
  if (!config.baseUrl) config.baseUrl = `http://${hostForUrl(config.host)}:${config.port}`;
  return Object.freeze(config);
}

/** Reports all mistakes at once. */
function collectErrors<T>(items: readonly T[], read: (item: T) => void): void {
  const problems: string[] = [];
  for (const item of items) {
    try {
      read(item);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new OperatorError(problems.join('\n'));
}

/** Rejects settings that have no effect with SQLite. */
function rejectWithoutPostgres(databaseUrl: string, values: ReadonlyMap<keyof Settings, unknown>): void {
  if (!databaseUrl.startsWith('sqlite:')) return;
  for (const key of ['databaseListenUrl', 'databaseReplicaUrls'] as const) {
    const value = values.get(key);
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    const { env } = settings[key];
    throw new OperatorError(`${env} is for PostgreSQL, and the database is SQLite. Unset it, or set DATABASE_URL.`);
  }
}

/** The roles that a user can have. `admin` always exists. */
export const roleNames = ({ roles }: Pick<Config, 'roles'>): string[] => [...new Set(['admin', ...roles])];

/** Rejects limits for unknown roles: users with the intended role would have no limit. */
function rejectUnknownRoles(roles: readonly string[], limitedRoles: readonly string[]): void {
  const unknownRole = limitedRoles.find((role) => role !== '*' && !roles.includes(role));
  if (unknownRole === undefined) return;
  throw new OperatorError(
    `ROLE_SCOPES: got the role "${unknownRole}"; expected *, and the roles of ROLES: ${roles.join(', ')}.`,
  );
}

/** Rejects a folder that does not exist. The default folder need not exist. */
function rejectMissingFolder({ env, description, expected }: Setting<unknown>, path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`${env}: got "${path}"; expected ${expected}. (${description})`);
}

/** Loads the settings. Only this function reads the environment. `file` replaces `gatehouse.config.ts`. */
export async function loadConfig(
  overrides: Record<string, unknown> = {},
  workingDir = process.cwd(),
  file?: ConfigFile,
): Promise<Config> {
  const env = { ...process.env };
  for (const [key, value] of Object.entries(overrides)) {
    if (isSetting(key) && value !== undefined) env[settings[key].env] = String(value);
  }
  return parseConfig(file ?? (await readConfigFile(workingDir)), env, workingDir, readEnvFile(workingDir));
}

/** The settings of a project for a test, without the environment of the machine. */
export async function loadTestConfig(settings: ConfigFile, workingDir: string): Promise<Config> {
  return parseConfig({ ...(await readConfigFile(workingDir)), ...settings }, {}, workingDir);
}

/** A variable of OpenTelemetry. These are not settings of Gatehouse, and OpenTelemetry reads them too. */
export const otelVariable = (name: `OTEL_${string}`): string | undefined => process.env[name];

/** Whether any variable of OpenTelemetry is set. */
export const hasOtelVariables = (): boolean => Object.keys(process.env).some((name) => /^OTEL_/i.test(name));

/** Whether `npm start` is building the console while the service runs (scripts/run.mjs). */
export const isConsoleBeingBuilt = (): boolean => process.env.GATEHOUSE_CONSOLE_BUILD === 'running';

/** Whether `npm start` or another npm script runs the program. */
export const startedByNpm = (): boolean => process.env.npm_lifecycle_event !== undefined;

/** The process that started the program, usually the shell of npm (bin/starter.mjs); undefined without npm. */
export const starterPid = (): number | undefined => Number(process.env.GATEHOUSE_STARTED_BY) || undefined;

/** The folder for a person's own files (XDG base directories). */
export const personalConfigDir = (): string =>
  resolve(process.env.XDG_CONFIG_HOME || resolve(homedir(), '.config'), 'gatehouse');

function readEnvFile(workingDir: string): Record<string, string | undefined> {
  const path = resolve(workingDir, '.env');
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
}

async function readConfigFile(workingDir: string): Promise<Record<string, unknown>> {
  const path = resolve(workingDir, 'gatehouse.config.ts');
  if (!existsSync(path)) return {};
  const { default: settings } = await importFile(path);
  if (typeof settings !== 'object' || settings === null) {
    throw new OperatorError('gatehouse.config.ts: it must `export default defineConfig({ … })`.');
  }
  return settings as Record<string, unknown>;
}

const unknownSetting = (where: string, name: string, names: string[]) =>
  new OperatorError(`${where} is not a setting.${suggestName(name, names)} The settings are: ${names.join(', ')}.`);

const hostForUrl = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};
