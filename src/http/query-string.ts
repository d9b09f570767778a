import { badRequest, type Problem } from '../errors.ts';

const wrong = Symbol('what is wrong with the query string');

/** `a=1&b=2` with form encoding. Throws 400 for a repeated name, broken percent-encoding or broken UTF-8. */
export function parseFormEncoded(text: string): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name === '__proto__') throw badRequest('A parameter cannot be named "__proto__".', 'parameter_invalid');
    if (name in values)
      throw badRequest(
        `The parameter "${printable(name)}" was sent more than once; send it once.`,
        'parameter_repeated',
      );
    values[name] = equals < 0 ? '' : decode(pair.slice(equals + 1));
  }
  return values;
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = /[%+]/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
  } catch {
    throw badRequest(`"${printable(text)}" is not valid percent-encoded UTF-8.`, 'encoding_invalid');
  }
  if (decoded.includes('\0')) throw badRequest('A parameter holds a NUL character.', 'encoding_invalid');
  return decoded;
}

const printable = (text: string): string => text.slice(0, 64).replace(/[^\x20-\x7e]/g, '?');

/** The router cannot throw: a broken query string is remembered and refused when the request is admitted. */
export function parseQueryString(text: string): Record<string, string> {
  // A new one each time: the validator writes defaults into it.
  if (text === '') return Object.create(null);
  try {
    return parseFormEncoded(text);
  } catch (problem) {
    return { [wrong]: problem } as unknown as Record<string, string>;
  }
}

export const queryStringProblem = (query: unknown): Problem | undefined =>
  (query as Record<symbol, Problem | undefined>)[wrong];
