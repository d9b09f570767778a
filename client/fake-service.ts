import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Closes the connection without a response. */
  hangUp?: boolean;
}

export interface FakeService {
  url: string;
  seen: Seen[];
}

/** An HTTP server whose responses a test defines, for behaviour that a test cannot provoke in the real service. */
export async function fakeService(respond: (seen: Seen) => Reply | Promise<Reply>): Promise<FakeService> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const call = await received(request);
    seen.push(call);
    send(response, await respond(call));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function received(request: IncomingMessage): Promise<Seen> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body, hangUp }: Reply): void {
  if (hangUp) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

/** A token response whose token contains the number of its login or refresh. */
export const tokens = (n: number): Reply => ({
  body: { token_type: 'Bearer', expires_in: 3600, access_token: `access-${n}`, refresh_token: `refresh-${n}` },
});

export const problem = (status: number, code: string, more: object = {}, headers = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/problem+json', 'x-request-id': 'request-7', ...headers },
  body: { type: `urn:gatehouse:problem:${code}`, title: 'Refused', status, detail: `because ${code}`, code, ...more },
});
