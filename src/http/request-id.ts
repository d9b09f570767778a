import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const instance = randomBytes(6).toString('base64url');
let count = 0;

/** The request id from the caller's header if it is well-formed, so that logs of several services can be joined. Otherwise a new id. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const headerValue = request.headers['x-request-id'];
  if (typeof headerValue === 'string' && /^[\w.:-]{1,128}$/.test(headerValue)) return headerValue;
  count++;
  return `${instance}-${count.toString(36)}`;
}
