import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BoundedMap } from '../platform/bounded-map.ts';
import { privateCache } from './gate/caching.ts';

export const hashOf = (payload: string | Buffer): string => hash('sha1', payload, 'base64url');

const maxEntries = 500;
const maxCachedLength = 8192;

/** Caches the last hash of each key. Comparing an unchanged text takes far less time than hashing it. */
export class RecentHashes {
  readonly #byKey = new BoundedMap<string, { readonly text: string; readonly hash: string }>(maxEntries);

  hashOf(key: string, text: string): string {
    const cached = this.#byKey.get(key);
    if (cached?.text === text) return cached.hash;
    const computed = hashOf(text);
    if (text.length <= maxCachedLength) this.#byKey.set(key, { text, hash: computed });
    return computed;
  }
}

const responseHashes = new RecentHashes();

/** A strong ETag of the response. Pages and their URLs may contain secrets, so this cache stores no hashes of pages. */
function etagOf({ route, url }: FastifyRequest, reply: FastifyReply, payload: string | Buffer): string {
  const cacheControl = reply.getHeader('cache-control');
  const uncached =
    typeof payload !== 'string' || !route.inApi || (cacheControl !== undefined && cacheControl !== privateCache);
  return `"${uncached ? hashOf(payload) : responseHashes.hashOf(url, payload)}"`;
}

/** RFC 9110 13.1.2: weak comparison, including lists and `*`. */
export function matchesEtag(header: string, etag: string): boolean {
  if (header === etag) return true;
  if (header.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque);
}

/** Responds with 304 if the caller has this ETag, and returns whether it did. Call it before other headers are set. */
export function sendNotModified(reply: FastifyReply, etag: string): boolean {
  const { method, headers } = reply.request;
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch === undefined || method !== 'GET' || !matchesEtag(ifNoneMatch, etag)) return false;
  reply.code(304).header('etag', etag).send();
  return true;
}

/** Adds an ETag to every 200 response to GET without one, and turns it into a 304 if the caller has this ETag. Returns the payload. */
export function addEtag(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (reply.statusCode !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) return payload;
  let etag = reply.getHeader('etag') as string | undefined;
  if (etag === undefined) {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    etag = etagOf(request, reply, payload);
    reply.header('etag', etag);
  }
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch === undefined || !matchesEtag(ifNoneMatch, etag)) return payload;
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  return null;
}
