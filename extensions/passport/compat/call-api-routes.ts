import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../../src/http/app.ts';
import { requestInside } from '../../../src/http/internal-request.ts';

/** The header with which internal requests ask for plain ids. Its value is secret. */
const plainIdsHeader = 'gatehouse-plain-ids';
const internalMark = randomUUID();

export const wantsPlainIds = ({ headers }: FastifyRequest): boolean => headers[plainIdsHeader] === internalMark;

interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly body?: object | undefined;
  /** Passport's API returns plain ids, even if Apiato hashes them. */
  readonly plainIds?: boolean;
}

/** Calls another route on behalf of the same caller. That route checks the caller's rights. */
export async function callApi(app: App, request: FastifyRequest, { method, url, body, plainIds }: ApiRequest) {
  const { authorization = '' } = request.headers;
  const response = await requestInside(app, {
    method,
    url,
    headers: {
      ...(authorization ? { authorization } : {}),
      ...(plainIds ? { [plainIdsHeader]: internalMark } : {}),
      accept: 'application/json',
      host: request.host,
    },
    remoteAddress: request.ip,
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: response.statusCode, type: response.headers['content-type'], text: response.payload };
}

type ApiResponse = Awaited<ReturnType<typeof callApi>>;

/** Returns an error response unchanged. */
export const forwardResponse = (reply: FastifyReply, { status, type, text }: ApiResponse): FastifyReply =>
  reply
    .code(status)
    .header('content-type', type ?? 'application/json')
    .header('cache-control', 'no-store')
    .send(text);
