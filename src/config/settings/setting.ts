import { availableParallelism } from 'node:os';
import { normaliseEmail } from '../../platform/email-address.ts';

/** One setting. `Also` is the type that the config file accepts in addition to the value itself and its text. */
export interface Setting<T, Also = never> {
  readonly env: string;
  readonly default: T;
  /** Ends the sentence "expected …". */
  readonly expected: string;
  readonly description: string;
  /** A value that no message, log or command may print. */
  readonly secret: boolean;
  parse(value: unknown): { ok: true; value: T } | { ok: false };
  /** Only for the types. */
  readonly also?: Also;
}

/** A value in the form of the environment. */
export function textOfValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, text]) => `${name}=${typeof text === 'object' ? JSON.stringify(text) : text}`)
    .join('; ');
}

const ok = <T>(value: T) => ({ ok: true as const, value });
const invalid = { ok: false as const };

/** The same setting with one more condition on its value. */
export const withCondition = <T>(base: Setting<T>, condition: (value: T) => boolean): Setting<T> => ({
  ...base,
  parse(value) {
    const result = base.parse(value);
    return result.ok && !condition(result.value) ? invalid : result;
  },
});

const setting = <T>(
  env: string,
  fallback: T,
  description: string,
  expected: string,
  parse: Setting<T>['parse'],
): Setting<T> => ({ env, default: fallback, description, expected, secret: false, parse });

export function text(
  env: string,
  fallback: string,
  description: string,
  { expected = 'text', pattern = /./s, secret = false }: { expected?: string; pattern?: RegExp; secret?: boolean } = {},
): Setting<string> {
  const parse = (value: unknown) => (typeof value === 'string' && pattern.test(value) ? ok(value) : invalid);
  return { ...setting(env, fallback, description, expected, parse), secret };
}

/** The name of a view, which is also its path: `/login` means `login`. */
export function view(env: string, fallback: string, description: string): Setting<string> {
  const expected = 'a view name of letters, digits, - and _, with / between folders; a leading / is allowed';
  const nameSetting = text(env, fallback, description, { expected, pattern: /^[\w-]+(\/[\w-]+)*$/ });
  return {
    ...nameSetting,
    parse: (value) => nameSetting.parse(typeof value === 'string' ? value.replace(/^\//, '') : value),
  };
}

export const email = (env: string, fallback: string, description: string): Setting<string> =>
  setting(env, fallback, description, 'an email address', (value) => {
    const address = typeof value === 'string' ? normaliseEmail(value.trim()) : undefined;
    return address === undefined ? invalid : ok(address);
  });

export const integer = (env: string, fallback: number, description: string, min: number, max: number) =>
  setting(env, fallback, description, `a whole number from ${min} to ${max}`, (value) => {
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && Number.isSafeInteger(number) && number >= min && number <= max
      ? ok(number)
      : invalid;
  });

/** `auto` (one per core), or a number. */
export function cores(env: string, fallback: number, description: string, max: number): Setting<number> {
  const number = integer(env, fallback, description, 1, max);
  return {
    ...number,
    expected: `${number.expected}, or auto: one for each core`,
    parse: (value) => (value === 'auto' ? ok(Math.min(max, availableParallelism())) : number.parse(value)),
  };
}

const trueWords: readonly unknown[] = [true, 'true', '1', 'yes', 'on'];
const falseWords: readonly unknown[] = [false, 'false', '0', 'no', 'off'];

export const flag = (env: string, fallback: boolean, description: string): Setting<boolean> =>
  setting(env, fallback, description, 'true or false', (value) => {
    const word = typeof value === 'string' ? value.toLowerCase() : value;
    return trueWords.includes(word) || falseWords.includes(word) ? ok(trueWords.includes(word)) : invalid;
  });

export const oneOf = <const T extends string>(env: string, values: readonly T[], fallback: T, description: string) =>
  setting(env, fallback, description, `one of ${values.join(', ')}`, (value) =>
    values.includes(value as T) ? ok(value as T) : invalid,
  );

export const list = <T extends string>(
  env: string,
  fallback: readonly T[],
  description: string,
  expected: string,
  accepts: (item: string) => boolean,
): Setting<readonly T[]> =>
  setting(env, fallback, description, expected, (value) => {
    const items = typeof value === 'string' ? splitList(value, ',') : value;
    const isValid = Array.isArray(items) && items.every((item) => typeof item === 'string' && accepts(item));
    return isValid && new Set(items).size === items.length ? ok(Object.freeze([...items])) : invalid;
  });

const splitList = (value: string, separator: string): string[] =>
  value
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);

/** Names with a text each: an object in the file, `name=text; name=text` in the environment. */
export const texts = (
  env: string,
  description: string,
  expected: string,
  accepts: (name: string, text: string) => boolean,
): Setting<Readonly<Record<string, string>>> =>
  setting(env, Object.freeze({}), description, expected, (value) => {
    const pairs = typeof value === 'string' ? readPairs(value) : Object.entries(value ?? {});
    const isValid = pairs.every(([name, text]) => typeof text === 'string' && accepts(name, text));
    return isValid && new Set(pairs.map(([name]) => name)).size === pairs.length
      ? ok(Object.freeze(Object.fromEntries(pairs)))
      : invalid;
  });

const readPairs = (value: string): string[][] =>
  splitList(value, ';').map((pair) => {
    const [name = '', ...text] = pair.split('=');
    return [name.trim(), text.join('=').trim()];
  });
