import type { App } from '../../src/http/app.ts';
import { internalHeader, requestInside } from '../../src/http/internal-request.ts';
import type { RequestSource } from '../../src/http/request-source.ts';
import type { Json } from '../openapi/document/json-schema.ts';

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Record<string, string>;
  readonly body?: object | undefined;
  readonly headers?: Record<string, string | undefined>;
}

export interface ApiResponse<Body = Json> {
  readonly status: number;
  readonly etag: string | undefined;
  /** The raw text. Its length counts, because a model has to read it. */
  readonly text: string;
  readonly body: Body;
}

export type Api = <Body extends Json = Json>(call: ApiCall) => Promise<ApiResponse<Body>>;

/** Calls the API's routes inside the process as one caller. All rules, hooks, events and limits apply. */
export const apiOf =
  (app: App, token: string, { address, userAgent, requestId }: RequestSource): Api =>
  async ({ method, path, query, body, headers = {} }) => {
    const requestHeaders: Record<string, string> = {
      ...internalHeader,
      accept: 'application/json',
      authorization: `Bearer ${token}`,
    };
    if (requestId) requestHeaders['x-request-id'] = requestId;
    if (userAgent) requestHeaders['user-agent'] = userAgent;
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) requestHeaders[name] = value;
    const url = `/v1/${path}${query ? `?${new URLSearchParams(query)}` : ''}`;
    const response = await requestInside(app, {
      method,
      url,
      headers: requestHeaders,
      ...(address ? { remoteAddress: address } : {}),
      ...(body === undefined ? {} : { payload: body }),
    });
    const etag = response.headers.etag;
    return {
      status: response.statusCode,
      etag: typeof etag === 'string' ? etag : undefined,
      text: response.body,
      // A list that is too long is not parsed.
      get body() {
        return JSON.parse(response.body || '{}');
      },
    };
  };
