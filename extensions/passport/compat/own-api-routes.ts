import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../../src/http/app.ts';

/** The header of a request from inside for ids as they are. Nobody outside knows its value. */
const plainIdsHeader = 'gatehouse-plain-ids';
const insider = randomUUID();

export const wantsPlainIds = ({ headers }: FastifyRequest): boolean => headers[plainIdsHeader] === insider;

interface Question {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly body?: object | undefined;
  /** Passport's own API shows ids as they are, also where Apiato hashes them. */
  readonly plainIds?: boolean;
}

/** The answer to a request of the same caller for another route, which decides by itself what the caller may do. */
export async function askOwnApi(app: App, request: FastifyRequest, { method, url, body, plainIds }: Question) {
  const { authorization = '' } = request.headers;
  const answer = await app.inject({
    method,
    url,
    headers: {
      ...(authorization ? { authorization } : {}),
      ...(plainIds ? { [plainIdsHeader]: insider } : {}),
      accept: 'application/json',
      host: request.host,
    },
    remoteAddress: request.ip,
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: answer.statusCode, type: answer.headers['content-type'], text: answer.payload };
}

type Answer = Awaited<ReturnType<typeof askOwnApi>>;

/** Passes a refusal on as it is. */
export const passOn = (reply: FastifyReply, { status, type, text }: Answer): FastifyReply =>
  reply
    .code(status)
    .header('content-type', type ?? 'application/json')
    .header('cache-control', 'no-store')
    .send(text);
