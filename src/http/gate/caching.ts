import type { FastifyContextConfig, FastifyReply } from 'fastify';

/** For a response to one caller: shared caches do not store it, and the browser cache revalidates it (a matching ETag gets 304). */
export const privateCache = 'private, no-cache';

/** The audience of a route's responses: one caller, everybody, or one caller if the request identifies one. */
export type Audience = 'caller' | 'everybody' | 'either';

export function audienceOf(method: string, { auth, bearer }: FastifyContextConfig, inApi: boolean): Audience {
  if (auth === 'auth:api' || auth === 'auth:web') return 'caller';
  const isRead = method === 'GET' || method === 'HEAD';
  if (inApi && !isRead) return 'caller';
  return bearer === 'optional' ? 'either' : 'everybody';
}

/** The headers that prevent caches from sending one caller's response to another. */
export function setCachingHeaders(
  reply: FastifyReply,
  audience: Audience,
  { byToken, byOrigin }: { byToken: boolean; byOrigin: boolean },
): void {
  if (audience === 'caller' || (audience === 'either' && byToken)) reply.header('cache-control', privateCache);
  if (audience !== 'everybody') reply.header('vary', byOrigin ? 'Authorization, Origin' : 'Authorization');
  else if (byOrigin) reply.header('vary', 'Origin');
}

export function addVary(reply: FastifyReply, name: string): FastifyReply {
  const names = reply.getHeader('vary');
  return reply.header('vary', names === undefined ? name : `${names}, ${name}`);
}
