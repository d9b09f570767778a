import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly data: Record<string, unknown> };
}

/** A webhook receiver on loopback. `statusOf` returns the status of each response. Undefined: no response. */
export async function startReceiver(
  statusOf: (received: Received) => number | undefined = () => 204,
  responseBody?: string,
) {
  const received: Received[] = [];
  let heard = () => {};
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const one = { headers: request.headers, text, body: JSON.parse(text) as Received['body'] };
    received.push(one);
    const status = statusOf(one);
    if (status !== undefined) response.writeHead(status).end(responseBody);
    heard();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    /** Returns when this many requests have arrived. */
    async until(count: number): Promise<readonly Received[]> {
      while (received.length < count) {
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
      return received;
    },
  };
}
