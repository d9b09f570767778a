import { availableParallelism } from 'node:os';
import { normaliseEmail } from '../../platform/email-address.ts';
import { isOneOf } from '../../platform/is-one-of.ts';
import { splitList } from '../../platform/split-list.ts';

type Parsed<T> = { ok: true; value: T } | { ok: false };

/** One setting. `Also` is the type that the config file accepts in addition to the value itself and its text. */
export class Setting<T, Also = never> {
  /** The environment variable. `settings.ts` derives it from the key. */
  env = '';
  readonly default: T;
  /** Ends the sentence "expected …". */
  readonly expected: string;
  readonly parse: (value: unknown) => Parsed<T>;
  description = '';
  /** A value that no message, log or command may print. */
  secret = false;
  /** Only for the types. */
  declare readonly also?: Also;

  constructor(fallback: T, expected: string, parse: (value: unknown) => Parsed<T>) {
    this.default = fallback;
    this.expected = expected;
    this.parse = parse;
  }

  describe(description: string): this {
    this.description = description;
    return this;
  }

  describeSecret(description: string): this {
    this.secret = true;
    return this.describe(description);
  }
}

/** A value in the form of the environment. */
export function textOfValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, text]) => `${name}=${typeof text === 'object' ? JSON.stringify(text) : text}`)
    .join('; ');
}

const accept = <T>(value: T, isValid: boolean): Parsed<T> => (isValid ? { ok: true, value } : { ok: false });

export function text(fallback: string, expected = 'text', accepts: RegExp | ((value: string) => boolean) = /./s) {
  const isValid = accepts instanceof RegExp ? (value: string) => accepts.test(value) : accepts;
  return new Setting(fallback, expected, (value) =>
    typeof value === 'string' ? accept(value, isValid(value)) : { ok: false },
  );
}

export const folder = (fallback: string): Setting<string> => text(fallback, 'a folder that exists');

/** The name of a view, which is also its path: `/login` means `login`. */
export function view(fallback: string): Setting<string> {
  const expected = 'a view name of letters, digits, - and _, with / between folders; a leading / is allowed';
  const name = text(fallback, expected, /^[\w-]+(\/[\w-]+)*$/);
  return new Setting(fallback, expected, (value) =>
    name.parse(typeof value === 'string' ? value.replace(/^\//, '') : value),
  );
}

export const email = (fallback: string): Setting<string> =>
  new Setting(fallback, 'an email address', (value) => {
    const address = typeof value === 'string' ? normaliseEmail(value.trim()) : undefined;
    return accept(address ?? '', address !== undefined);
  });

export const integer = (fallback: number, min: number, max: number): Setting<number> =>
  new Setting(fallback, `a whole number from ${min} to ${max}`, (value) => {
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    return typeof number === 'number'
      ? accept(number, Number.isSafeInteger(number) && number >= min && number <= max)
      : { ok: false };
  });

/** `auto` (one per core), or a number. */
export function cores(fallback: number, max: number): Setting<number> {
  const number = integer(fallback, 1, max);
  return new Setting(fallback, `${number.expected}, or auto: one for each core`, (value) =>
    number.parse(value === 'auto' ? Math.min(max, availableParallelism()) : value),
  );
}

const trueWords: readonly unknown[] = [true, 'true', '1', 'yes', 'on'];
const falseWords: readonly unknown[] = [false, 'false', '0', 'no', 'off'];

export const flag = (fallback: boolean): Setting<boolean> =>
  new Setting(fallback, 'true or false', (value) => {
    const word = typeof value === 'string' ? value.toLowerCase() : value;
    return accept(trueWords.includes(word), trueWords.includes(word) || falseWords.includes(word));
  });

export const oneOf = <const T extends string>(values: readonly T[], fallback: NoInfer<T>): Setting<T> =>
  new Setting<T>(fallback, `one of ${values.join(', ')}`, (value) =>
    isOneOf(values, value) ? { ok: true, value } : { ok: false },
  );

export const list = <T extends string>(
  fallback: readonly T[],
  expected: string,
  acceptsItem: (item: string) => boolean,
  acceptsList: (items: readonly string[]) => boolean = () => true,
): Setting<readonly T[]> =>
  new Setting(fallback, expected, (value) => {
    const items: unknown = typeof value === 'string' ? splitList(value, ',') : value;
    if (!Array.isArray(items) || !items.every((item) => typeof item === 'string' && acceptsItem(item)))
      return { ok: false };
    return accept(Object.freeze([...items]), new Set(items).size === items.length && acceptsList(items));
  });

/** Names with a text each: an object in the file, `name=text; name=text` in the environment. */
export const texts = (expected: string, accepts: (name: string, text: string) => boolean) =>
  new Setting<Readonly<Record<string, string>>>(Object.freeze({}), expected, (value) => {
    const pairs = typeof value === 'string' ? readPairs(value) : Object.entries(value ?? {});
    const isValid = pairs.every(([name, text]) => typeof text === 'string' && accepts(name, text));
    const record = Object.freeze(Object.fromEntries(pairs));
    return accept(record, isValid && Object.keys(record).length === pairs.length);
  });

const readPairs = (value: string): string[][] =>
  splitList(value, ';').map((pair) => {
    const [name = '', ...text] = pair.split('=');
    return [name.trim(), text.join('=').trim()];
  });
