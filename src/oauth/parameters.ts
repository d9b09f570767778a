import { OAuthError } from '../platform/errors.ts';
import { tryParseJson } from '../platform/json-text.ts';

/** The parameters of a request by name. A Map, so that names such as `__proto__` are safe. */
export type Parameters = ReadonlyMap<string, string>;

export const invalidRequest = (description: string) => new OAuthError('invalid_request', description);

/** RFC 8707 2: the only parameter that may be repeated. */
const repeatable = 'resource';

/** RFC 6749 3.2: an empty parameter counts as omitted. Each value must be text, in JSON too. */
export function readParameters(body: unknown): Parameters {
  const parameters = new Map<string, string>();
  const fields = (body ?? {}) as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const value = (readers.get(name) ?? unchanged)(fields[name]);
    if (value === null || value === '') continue;
    if (typeof value !== 'string') throw invalidRequest(`The parameter '${name.slice(0, 64)}' must be a string.`);
    parameters.set(name, value);
  }
  return parameters;
}

/** The assertion of a passkey may be a JSON text inside the JSON body. */
const stringifyObject = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
const unchanged = (value: unknown): unknown => value;
const readers = new Map<string, (value: unknown) => unknown>([
  [repeatable, joinUris],
  ['passkey', stringifyObject],
  ['remember', (value) => (typeof value === 'boolean' ? String(value) : value)],
]);

/** The parameter `passkey`: an assertion as JSON. */
export function passkeyIn(parameters: Parameters): unknown {
  const text = parameters.get('passkey');
  if (text === undefined) return undefined;
  const assertion = tryParseJson(text);
  if (assertion === undefined) throw invalidRequest("The parameter 'passkey' must be JSON.");
  return assertion;
}

export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw invalidRequest(`The parameter '${name}' is missing.`);
  return value;
}

/** Joins several values with spaces: a URI contains no space. */
function joinUris(value: unknown): unknown {
  const values = [value].flat();
  if (values.some((uri) => typeof uri === 'string' && /\s/.test(uri))) {
    throw new OAuthError('invalid_target', 'resource takes absolute URIs without a fragment.');
  }
  return values.every((uri) => typeof uri === 'string') ? values.filter(Boolean).join(' ') : value;
}

/** The values of the parameter `resource`. */
export const resourcesIn = (parameters: Parameters): readonly string[] => parameters.get(repeatable)?.split(' ') ?? [];
