import type { FastifyRequest } from 'fastify';
import { badRequest, Problem } from '../../platform/errors.ts';
import { isObject } from '../../platform/is-object.ts';
import type { App } from '../app.ts';
import { readFormEncoded } from './form-body.ts';
import { readJson } from './json-body.ts';
import { readMultipart } from './multipart.ts';

export const maxBodyBytes = 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw badRequest('The body is not valid UTF-8.', 'encoding_invalid');
  }
}

function readJsonBody(bytes: Buffer): unknown {
  // An empty body is valid with any Content-Type. A route that needs a body reports its absence.
  if (bytes.length === 0) return undefined;
  const body = readJson(decodeUtf8(bytes));
  if (!isObject(body)) throw badRequest('The body must be a JSON object.', 'body_invalid');
  return body;
}

/** Rejects a compressed body. RFC 9110 15.5.16: the response names the accepted codings. */
function rejectCompressed({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding'];
  if (coding === undefined || coding.trim() === '' || coding.trim().toLowerCase() === 'identity') return;
  throw new Problem(415, 'Unsupported Media Type', 'Send the body uncompressed.', {
    code: 'unsupported_encoding',
    headers: { 'Accept-Encoding': 'identity' },
  });
}

type Read = (bytes: Buffer, contentType: string, repeatable: string | undefined) => unknown;

const readers: readonly [type: string, read: Read][] = [
  ['application/json', readJsonBody],
  [
    'application/x-www-form-urlencoded',
    (bytes, _type, repeatable) => readFormEncoded(decodeUtf8(bytes), { repeatable }),
  ],
  ['multipart/form-data', (bytes, contentType) => readMultipart(bytes, contentType, decodeUtf8)],
];

export function addContentTypeParsers(app: App): void {
  app.removeAllContentTypeParsers();
  for (const [type, read] of readers) {
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, bytes, done) => {
      let body: unknown;
      try {
        rejectCompressed(request);
        body = read(bytes, request.headers['content-type'] ?? '', request.route.config.repeatable);
      } catch (error) {
        return done(error as Error);
      }
      done(null, body);
    });
  }
}

/** Whether the body is a form. All values of a form are strings. */
export const isForm = ({ headers }: FastifyRequest): boolean => {
  const type = (headers['content-type'] ?? '').toLowerCase();
  return type.startsWith('application/x-www-form-urlencoded') || type.startsWith('multipart/form-data');
};
