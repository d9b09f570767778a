import { badRequest } from '../errors.ts';
import { parseFormEncoded } from './query-string.ts';
import type { App } from './server.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Deeper than any resource needs, and shallow enough for whatever walks a body recursively. */
const deepest = 64;

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw badRequest('The body is not valid UTF-8.', 'encoding_invalid');
  }
}

/** Refuses keys that would reach into other objects, and text that no database holds. */
function refusePoison(key: string, value: unknown): unknown {
  if (
    key === '__proto__' ||
    (key === 'constructor' && typeof value === 'object' && value !== null && 'prototype' in value)
  ) {
    throw badRequest(`A key of the body cannot be named "${key}".`, 'body_invalid');
  }
  if (isBadText(key) || (typeof value === 'string' && isBadText(value))) {
    throw badRequest('The body holds a NUL character or half of a surrogate pair.', 'encoding_invalid');
  }
  return value;
}

const isBadText = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

/** Refuses nesting before anything recursive sees it: a reviver, a validator or a serialiser would run out of stack. */
function refuseDepth(text: string): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) {
      if (++depth > deepest) throw badRequest(`The body is nested deeper than ${deepest} levels.`, 'body_invalid');
    } else if (char === 0x7d || char === 0x5d) depth--;
  }
}

function parseJson(bytes: Buffer): unknown {
  // No body at all, whatever the Content-Type says: a route that needs one says so.
  if (bytes.length === 0) return undefined;
  const text = decodeUtf8(bytes);
  refuseDepth(text);
  let body: unknown;
  try {
    // Escapes can hide a key's name or a bad character; without them the fast way is safe.
    const suspicious = text.includes('__proto__') || text.includes('constructor') || text.includes('\\u');
    body = suspicious ? JSON.parse(text, refusePoison) : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest('The body is not valid JSON.', 'json_invalid');
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
