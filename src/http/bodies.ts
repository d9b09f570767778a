import { badRequest } from '../errors.ts';
import { parseFormEncoded } from './query-string.ts';
import type { App } from './server.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw badRequest('The body is not valid UTF-8.', 'encoding_invalid');
  }
}

/** Refuses `__proto__` (and `constructor.prototype`) keys, which would reach into other objects. */
function refusePoison(key: string, value: unknown): unknown {
  if (
    key === '__proto__' ||
    (key === 'constructor' && typeof value === 'object' && value !== null && 'prototype' in value)
  ) {
    throw badRequest(`A key of the body cannot be named "${key}".`, 'body_invalid');
  }
  return value;
}

function parseJson(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes);
  if (text.trim() === '') throw badRequest('The body is empty; send a JSON object.', 'body_empty');
  let body: unknown;
  try {
    body =
      text.includes('__proto__') || text.includes('constructor') || text.includes('\\u')
        ? JSON.parse(text, refusePoison)
        : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`The body is not valid JSON: ${error.message}`, 'json_invalid');
    throw error;
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('The body must be a JSON object.', 'body_invalid');
  }
  return body;
}

/** JSON and form bodies on every endpoint; anything else is 415, by Fastify. */
export function readBodies(app: App): void {
  app.removeAllContentTypeParsers();
  const parser =
    (parse: (bytes: Buffer) => unknown) =>
    (_request: unknown, bytes: Buffer, done: (error: Error | null, body?: unknown) => void) => {
      let body: unknown;
      try {
        body = parse(bytes);
      } catch (error) {
        return done(error as Error);
      }
      done(null, body);
    };
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parser(parseJson));
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    parser((bytes) => parseFormEncoded(decodeUtf8(bytes))),
  );
}
