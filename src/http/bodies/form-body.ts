import { badRequest, Problem } from '../../platform/errors.ts';

/** The limit for one body: members of objects, items of arrays, and fields of forms. */
export const maxMembers = 1000;

export const tooManyMembers = () =>
  new Problem(413, 'Content Too Large', `The body has more than ${maxMembers.toLocaleString('en')} members.`, {
    code: 'too_many_members',
  });

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
export const isUnstorableText = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

/** Form fields or query parameters by name, in an object without a prototype. A repeatable parameter becomes a list. */
export type FormValues = Record<string, string>;

export const emptyValues = (): FormValues => Object.create(null);

export function addValue(values: FormValues, name: string, value: string, repeatable?: string): void {
  if (name === '__proto__') throw badRequest('A parameter cannot be named "__proto__".', 'parameter_invalid');
  if (isUnstorableText(name) || isUnstorableText(value))
    throw badRequest('A parameter contains a NUL character.', 'encoding_invalid');
  if (name in values && name === repeatable) {
    const lists = values as Record<string, string | string[]>;
    const previous = lists[name] as string | string[];
    if (Array.isArray(previous)) previous.push(value);
    else lists[name] = [previous, value];
    return;
  }
  if (name in values) {
    throw badRequest(
      `The parameter "${printableName(name)}" was sent more than once; send it once.`,
      'parameter_repeated',
    );
  }
  values[name] = value;
}

const printableName = (text: string): string => text.slice(0, 64).replace(/[^\x20-\x7e]/g, '?');

interface ReadOptions {
  readonly max?: number;
  readonly tooMany?: () => Problem;
  readonly repeatable?: string | undefined;
}

/** `a=1&b=2` with form encoding. Throws 400 for a repeated name, broken percent-encoding or broken UTF-8. */
export function readFormEncoded(
  text: string,
  { max = maxMembers, tooMany = tooManyMembers, repeatable }: ReadOptions = {},
): FormValues {
  const values = emptyValues();
  // Stops splitting one pair above the limit.
  const pairs = text.split('&', max + 1);
  if (pairs.length > max) throw tooMany();
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1), name);
    addValue(values, name, value, repeatable);
  }
  return values;
}

/** The error does not quote the text: it may be a password that was sent without encoding. `nameOfValue`: for a value. */
function decode(text: string, nameOfValue?: string): string {
  try {
    return /[%+]/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
  } catch {
    const label = nameOfValue === undefined ? "A parameter's name" : `The value of "${printableName(nameOfValue)}"`;
    throw badRequest(`${label} is not valid percent-encoded UTF-8.`, 'encoding_invalid');
  }
}

const queryError = Symbol('query string error');
const maxParameters = 100;
const tooMany = () => badRequest(`The query string has more than ${maxParameters} parameters.`, 'parameter_invalid');

/** The router cannot throw. An invalid query string is stored in the result, and the gate rejects the request. */
export function parseQueryString(text: string): Record<string, string> {
  // A new object each time: the validator writes defaults into it.
  if (text === '') return emptyValues();
  try {
    return readFormEncoded(text, { max: maxParameters, tooMany });
  } catch (problem) {
    return Object.assign(emptyValues(), { [queryError]: problem });
  }
}

export const queryStringProblem = (query: unknown) => (query as Record<symbol, Problem | undefined>)[queryError];
