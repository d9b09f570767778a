import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../../src/http/app.ts';
import { badRequest } from '../../../src/platform/errors.ts';

const pageSize = 100;
const mostPages = 100;

interface Page {
  readonly data: unknown[];
  readonly meta?: { readonly pagination?: { readonly next_cursor?: string | null } };
}

/** `limit=0` is everything, in Apiato: the pages of a walk, one after another, as the caller could have asked for them. */
export async function sendEverything(app: App, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { page: _, count: __, ...query } = request.query as Record<string, string>;
  const [path] = request.url.split('?', 1);
  const { authorization = '', accept = 'application/json' } = request.headers;
  const rows: unknown[] = [];
  let cursor: string | null | undefined = '';
  for (let i = 0; i < mostPages && typeof cursor === 'string'; i++) {
    const asked: URLSearchParams = new URLSearchParams({ ...query, limit: String(pageSize), cursor });
    const headers = { ...(authorization ? { authorization } : {}), accept, host: request.host };
    // The pages count as requests of the same caller.
    const inject = { method: 'GET', url: `${path}?${asked}`, headers, remoteAddress: request.ip } as const;
    const answer = await app.inject(inject);
    if (answer.statusCode !== 200) {
      return reply.code(answer.statusCode).header('content-type', answer.headers['content-type']).send(answer.payload);
    }
    const { data, meta } = answer.json<Page>();
    rows.push(...data);
    cursor = meta?.pagination?.next_cursor;
  }
  if (typeof cursor === 'string') {
    throw badRequest(`limit=0 gives up to ${pageSize * mostPages} rows, and there are more: walk by cursor instead.`);
  }
  const all = { total: rows.length, count: rows.length, per_page: rows.length, current_page: 1, total_pages: 1 };
  reply.header('content-type', 'application/json; charset=utf-8');
  return JSON.stringify({ data: rows, meta: { pagination: { ...all, links: {} } } });
}
