import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../platform/caller.ts';

/** How a request proves who sends it. Each throws the 401 (or the redirect to the login page) that says why not. */
export interface Authenticate {
  /** For `auth:api`: a token known to be good is answered at once, others after the database was asked. */
  bearer(token: string, request: FastifyRequest): Caller | Promise<Caller>;
  /**
   * For `auth:web`: by the session cookie. May answer by itself (a redirect): then undefined. Asked again when the body is
   * there, it looks at the session that it found before.
   */
  web(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined>;
}
