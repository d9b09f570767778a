import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const instance = randomBytes(6).toString('base64url');
let count = 0;

/**
 * The caller's id if it is well-formed, so that a request can be followed through several services. Otherwise a new
 * id.
 */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  if (typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given)) return given;
  count++;
  return `${instance}-${count.toString(36)}`;
}
