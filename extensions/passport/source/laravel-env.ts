import { readFileSync } from 'node:fs';
import { OperatorError, reasonOf } from '../../../src/platform/errors.ts';

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
  for (const [, name, raw] of text.replace(/^\uFEFF/, '').matchAll(line)) {
    values.set(name as string, expand(unquote(raw as string), raw as string, values));
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

const expand = (value: string, raw: string, known: ReadonlyMap<string, string>): string =>
  raw.startsWith("'")
    ? value
    : value.replace(/\$\{([A-Za-z_][\w.]*)\}/g, (all, name: string) => known.get(name) ?? all);

/** The bytes that Laravel encrypts with. */
export function readAppKey(env: ReadonlyMap<string, string>): Buffer {
  const key = env.get('APP_KEY') ?? '';
  if (key === '') throw new OperatorError('APP_KEY is missing in the .env: refresh tokens are opened with it.');
  const bytes = bytesOf(key);
  if (bytes.length !== 32 && bytes.length !== 16) {
    throw new OperatorError(
      'APP_KEY in the .env is not a key of Laravel: it takes base64: and 32 bytes in base64 (or 16 bytes with AES-128).',
    );
  }
  return bytes;
}

/** Those before it, which Laravel still decrypts with. */
export const readPreviousKeys = (env: ReadonlyMap<string, string>): Buffer[] =>
  (env.get('APP_PREVIOUS_KEYS') ?? '')
    .split(',')
    .map((key) => bytesOf(key.trim()))
    .filter(({ length }) => length === 32 || length === 16);

const bytesOf = (key: string): Buffer =>
  key.startsWith('base64:') ? Buffer.from(key.slice('base64:'.length), 'base64') : Buffer.from(key);
