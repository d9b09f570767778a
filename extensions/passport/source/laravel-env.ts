import { readFileSync } from 'node:fs';
import { OperatorError, reasonOf } from '../../../src/platform/errors.ts';

type Env = ReadonlyMap<string, string>;

const schemes = new Map([
  ['mysql', 'mysql'],
  ['mariadb', 'mysql'],
  ['pgsql', 'postgres'],
  ['postgres', 'postgres'],
  ['postgresql', 'postgres'],
  ['sqlite', 'sqlite'],
]);

/** The default of `--from`, from the `.env`. */
export function databaseOfEnv(env: Env): string | undefined {
  const url = env.get('DB_URL') || env.get('DATABASE_URL');
  return url ? fromUrl(env, url) : fromParts(env);
}

/** Laravel has its own names for the drivers: pgsql://, sqlite:///path. */
function fromUrl(env: Env, url: string): string {
  const [, driver = '', rest = ''] = /^([a-z0-9]+):(.*)$/is.exec(url) ?? [];
  const scheme = schemes.get(driver.toLowerCase());
  if (scheme === undefined) return url;
  if (scheme === 'sqlite') return `sqlite:${decodeURIComponent(rest.replace(/^\/\/(?=\/)/, '').replace(/\?.*$/s, ''))}`;
  return withSearchPath(env, scheme, `${scheme}:${rest}`);
}

function fromParts(env: Env): string | undefined {
  const name = env.get('DB_DATABASE');
  const scheme = schemes.get(env.get('DB_CONNECTION') ?? '');
  if (!scheme || !name) return undefined;
  if (scheme === 'sqlite') return `sqlite:${name}`;
  const part = (key: string) => encodeURIComponent(env.get(key) ?? '');
  const user = `${part('DB_USERNAME')}:${part('DB_PASSWORD')}`;
  const host = env.get('DB_HOST') || '127.0.0.1';
  const port = env.get('DB_PORT') ? `:${env.get('DB_PORT')}` : '';
  const database = encodeURIComponent(name);
  const socket = env.get('DB_SOCKET') || (host.startsWith('/') ? host : '');
  if (socket === '') return withSearchPath(env, scheme, `${scheme}://${user}@${host}${port}/${database}`);
  if (scheme === 'mysql') return `mysql://${user}@localhost/${database}?socketPath=${encodeURIComponent(socket)}`;
  // PostgreSQL accepts the folder of the socket as a host. The port is part of the socket's name.
  const folder = `postgres://${user}@localhost${port}/${database}?host=${encodeURIComponent(socket)}`;
  return withSearchPath(env, scheme, folder);
}

/** The schema of the tables if it is not `public`: `search_path` of config/database.php, from its usual variables. */
function withSearchPath(env: Env, scheme: string, url: string): string {
  if (scheme !== 'postgres') return url;
  const inUrl = /[?&](?:search_path|schema)=([^&]*)/.exec(url)?.[1];
  const path = inUrl ? decodeURIComponent(inUrl) : env.get('DB_SEARCH_PATH') || env.get('DB_SCHEMA');
  if (!path) return url;
  const options = `options=${encodeURIComponent(`-c search_path=${path.replace(/\s+/g, '')}`)}`;
  const bare = url.replace(/([?&])(?:search_path|schema)=[^&]*&?/, '$1').replace(/[?&]$/, '');
  return `${bare}${bare.includes('?') ? '&' : '?'}${options}`;
}

/** Reads a Laravel `.env`: names and values, with quotes, comments, `export`, escapes and `${OTHER}`. */
export function readLaravelEnv(path: string): ReadonlyMap<string, string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new OperatorError(`--env: ${path} could not be read: ${reasonOf(error)}`);
  }
  return parseLaravelEnv(text);
}

const line =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.]*)[ \t]*=[ \t]*("(?:[^"\\]|\\[\s\S])*"|'[^']*'|[^\r\n]*?)[ \t]*(?:[ \t]#[^\r\n]*)?\r?$/gm;

export function parseLaravelEnv(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [, name = '', raw = ''] of text.replace(/^\uFEFF/, '').matchAll(line)) {
    values.set(name, expand(unquote(raw), raw, values));
  }
  return values;
}

function unquote(raw: string): string {
  if (raw.startsWith("'") && raw.endsWith("'") && raw.length > 1) return raw.slice(1, -1);
  if (raw.startsWith('"') && raw.endsWith('"') && raw.length > 1) {
    return raw.slice(1, -1).replace(/\\([\s\S])/g, (_, char: string) => (char === 'n' ? '\n' : char));
  }
  return raw.startsWith('#') ? '' : raw;
}

const expand = (value: string, raw: string, variables: ReadonlyMap<string, string>): string =>
  raw.startsWith("'")
    ? value
    : value.replace(/\$\{([A-Za-z_][\w.]*)\}/g, (all, name: string) => variables.get(name) ?? all);

/** The encryption key of Laravel. */
export function readAppKey(env: ReadonlyMap<string, string>): Buffer {
  const key = env.get('APP_KEY') ?? '';
  if (key === '') throw new OperatorError('APP_KEY is missing in the .env: it decrypts refresh tokens.');
  const bytes = bytesOf(key);
  if (bytes.length !== 32 && bytes.length !== 16) {
    throw new OperatorError(
      'APP_KEY in the .env is not a key of Laravel: expected base64: and 32 bytes in base64 (or 16 bytes with AES-128).',
    );
  }
  return bytes;
}

/** The previous keys, with which Laravel still decrypts. */
export const readPreviousKeys = (env: ReadonlyMap<string, string>): Buffer[] =>
  (env.get('APP_PREVIOUS_KEYS') ?? '')
    .split(',')
    .map((key) => bytesOf(key.trim()))
    .filter(({ length }) => length === 32 || length === 16);

const bytesOf = (key: string): Buffer =>
  key.startsWith('base64:') ? Buffer.from(key.slice('base64:'.length), 'base64') : Buffer.from(key);
