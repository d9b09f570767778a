import { availableParallelism } from 'node:os';
import { normaliseEmail } from '../../platform/email-address.ts';

/**
 * One setting: its environment variable, what it takes, and how a value is read. `Also` is what the config file may hold beside
 * the value itself and its text.
 */
export interface Setting<T, Also = never> {
  readonly env: string;
  readonly default: T;
  /** Ends the sentence "it takes …". */
  readonly takes: string;
  readonly about: string;
  /** A value that no message, log or command may print. */
  readonly secret: boolean;
  parse(value: unknown): { ok: true; value: T } | { ok: false };
  /** For the types alone. */
  readonly also?: Also;
}

/** A value as the environment would have it. */
export function textOfValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, text]) => `${name}=${typeof text === 'object' ? JSON.stringify(text) : text}`)
    .join('; ');
}

const ok = <T>(value: T) => ({ ok: true as const, value });
const wrong = { ok: false as const };

/** The same setting, which takes a value only where this holds too. */
export const where = <T>(setting: Setting<T>, holds: (value: T) => boolean): Setting<T> => ({
  ...setting,
  parse(value) {
    const read = setting.parse(value);
    return read.ok && !holds(read.value) ? wrong : read;
  },
});

/** Kinds of settings: each says what it takes, and reads a value of the environment or of the config file. */
export function text(
  env: string,
  fallback: string,
  about: string,
  options: { takes?: string; pattern?: RegExp; secret?: boolean } = {},
): Setting<string> {
  return {
    env,
    default: fallback,
    about,
    takes: options.takes ?? 'text',
    secret: options.secret ?? false,
    parse: (value) => (typeof value === 'string' && (options.pattern ?? /./s).test(value) ? ok(value) : wrong),
  };
}

/** The name of a view, which is also its path: `/login` means `login`. */
export function view(env: string, fallback: string, about: string): Setting<string> {
  const takes = 'a view name of letters, digits, - and _, with / between folders; a leading / is allowed';
  const named = text(env, fallback, about, { takes, pattern: /^[\w-]+(\/[\w-]+)*$/ });
  return { ...named, parse: (value) => named.parse(typeof value === 'string' ? value.replace(/^\//, '') : value) };
}

export function email(env: string, fallback: string, about: string): Setting<string> {
  return {
    ...text(env, fallback, about, { takes: 'an email address' }),
    parse(value) {
      const address = typeof value === 'string' ? normaliseEmail(value.trim()) : undefined;
      return address === undefined ? wrong : ok(address);
    },
  };
}

export function integer(env: string, fallback: number, about: string, min: number, max: number): Setting<number> {
  return {
    env,
    default: fallback,
    about,
    takes: `a whole number from ${min} to ${max}`,
    secret: false,
    parse(value) {
      const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
      return typeof number === 'number' && Number.isSafeInteger(number) && number >= min && number <= max
        ? ok(number)
        : wrong;
    },
  };
}

/** As many as there are cores, or a number. */
export function cores(env: string, fallback: number, about: string, max: number): Setting<number> {
  const number = integer(env, fallback, about, 1, max);
  return {
    ...number,
    takes: `${number.takes}, or auto: one for each core`,
    parse: (value) => (value === 'auto' ? ok(Math.min(max, availableParallelism())) : number.parse(value)),
  };
}

export function flag(env: string, fallback: boolean, about: string): Setting<boolean> {
  const words = new Map<unknown, boolean>([
    [true, true],
    ['true', true],
    ['1', true],
    ['yes', true],
    ['on', true],
    [false, false],
    ['false', false],
    ['0', false],
    ['no', false],
    ['off', false],
  ]);
  return {
    env,
    default: fallback,
    about,
    takes: 'true or false',
    secret: false,
    parse(value) {
      const read = words.get(typeof value === 'string' ? value.toLowerCase() : value);
      return read === undefined ? wrong : ok(read);
    },
  };
}

export function oneOf<const T extends string>(
  env: string,
  values: readonly T[],
  fallback: T,
  about: string,
): Setting<T> {
  return {
    env,
    default: fallback,
    about,
    takes: `one of ${values.join(', ')}`,
    secret: false,
    parse: (value) => (values.includes(value as T) ? ok(value as T) : wrong),
  };
}

export function list<T extends string>(
  env: string,
  fallback: readonly T[],
  about: string,
  takes: string,
  accepts: (item: string) => boolean,
): Setting<readonly T[]> {
  return {
    env,
    default: fallback,
    about,
    takes,
    secret: false,
    parse(value) {
      const items =
        typeof value === 'string'
          ? value
              .split(',')
              .map((item) => item.trim())
              .filter(Boolean)
          : value;
      const good = Array.isArray(items) && items.every((item) => typeof item === 'string' && accepts(item));
      return good && new Set(items).size === items.length ? ok(Object.freeze([...items]) as readonly T[]) : wrong;
    },
  };
}

/** Names with a text each: an object in the file, `name=text; name=text` in the environment. */
export function texts(
  env: string,
  about: string,
  takes: string,
  accepts: (name: string, text: string) => boolean,
): Setting<Readonly<Record<string, string>>> {
  return {
    env,
    default: Object.freeze({}),
    about,
    takes,
    secret: false,
    parse(value) {
      const pairs = typeof value === 'string' ? readPairs(value) : Object.entries((value ?? {}) as object);
      const good = pairs.every(([name, text]) => typeof text === 'string' && accepts(name, text));
      return good && new Set(pairs.map(([name]) => name)).size === pairs.length
        ? ok(Object.freeze(Object.fromEntries(pairs)))
        : wrong;
    },
  };
}

const readPairs = (value: string): string[][] =>
  value
    .split(';')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => {
      const [name = '', ...text] = pair.split('=');
      return [name.trim(), text.join('=').trim()];
    });
