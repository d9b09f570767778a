import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyContextConfig, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { Problem } from '../../platform/errors.ts';
import { acceptsJson, isApiPath, notAcceptable } from '../gate/accept.ts';
import type { PathTable } from '../gate/path-table.ts';
import { securityHeaders } from '../gate/security-headers.ts';
import { requestId } from '../request-id.ts';
import { withoutQuery } from '../without-query.ts';
import { oauthErrorBody, problemBody } from './error-bodies.ts';
import { toProblem } from './error-handler.ts';

const unparsable = new Problem(400, 'Bad Request', 'This is not a well-formed HTTP request.', { code: 'http_invalid' });
const problems = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    new Problem(431, 'Request Header Fields Too Large', 'The URL and the headers together are longer than 16 KiB.', {
      code: 'headers_too_large',
    }),
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    new Problem(408, 'Request Timeout', 'The request did not arrive in time.', { code: 'request_timeout' }),
  ],
]);
const urlTooLong = new Problem(414, 'URI Too Long', 'The URL is longer than 16 KiB.', { code: 'url_too_long' });
const unexpected = new Problem(417, 'Expectation Failed', 'The Expect header accepts only 100-continue.', {
  code: 'expectation_failed',
});

/** Node's limit for the request line and the headers together. */
const maxHeaderSize = 16 * 1024;

/** Responds to requests that never reach a route, in the same format and with the same headers as other errors. */
export function createClientErrorHandler(config: Config, paths: Pick<PathTable, 'find'>) {
  const headers = securityHeaders(config);

  function respond(raw: ServerResponse, problem: Problem, id: string, form?: FastifyContextConfig['errors']): void {
    const body = form === 'oauth' ? Buffer.from(oauthErrorBody(problem)) : problemBody(problem, id);
    if (form === 'oauth') raw.setHeader('cache-control', 'no-store');
    raw.setHeader('content-type', form === 'oauth' ? 'application/json; charset=utf-8' : 'application/problem+json');
    for (const [name, value] of Object.entries(headers)) raw.setHeader(name, value);
    raw.setHeader('X-Request-Id', id);
    raw.writeHead(problem.status, { 'content-length': body.length });
    raw.end(body);
  }

  return {
    /** Responds to input that the HTTP parser rejects. There is no request yet, only a socket. */
    unparsable(error: { code?: string; rawPacket?: unknown }, socket: Socket): void {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
      const problemOfCode = problems.get(error.code ?? '') ?? unparsable;
      // Node passes the bytes that it was parsing. Their first line contains the URL.
      const packet = Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0);
      const firstLine = packet.includes('\r\n') ? packet.indexOf('\r\n') : packet.length;
      const isLongUrl = firstLine > maxHeaderSize - 1024;
      const problem = problemOfCode.status === 431 && isLongUrl ? urlTooLong : problemOfCode;
      const id = requestId({ headers: {} });
      const body = problemBody(problem, id);
      const lines = [`HTTP/1.1 ${problem.status} ${problem.title}`, 'Content-Type: application/problem+json'];
      lines.push(`Content-Length: ${body.length}`, `X-Request-Id: ${id}`, 'Connection: close');
      for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
      socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]));
    },
    /** Responds to a path that the router rejects: it cannot be decoded, or one of its segments is too long. */
    unroutable(error: FastifyError, { id, url, headers }: FastifyRequest, { raw }: FastifyReply): void {
      const wrongAccept = config.forceAcceptHeader && isApiPath(url) && !acceptsJson(headers.accept);
      // `find` decodes the path too, so it gets one without escapes.
      const path = paths.find(withoutQuery(url).replaceAll('%', 'x'));
      respond(raw, wrongAccept ? notAcceptable() : toProblem(error), id, path?.config.errors);
    },
    unexpected(request: IncomingMessage, raw: ServerResponse): void {
      respond(raw, unexpected, requestId(request));
    },
  };
}
