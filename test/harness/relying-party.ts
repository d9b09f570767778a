import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export interface RelyingParty {
  readonly url: string;
  /** The bodies of the POST requests that it received, in order. */
  readonly posts: URLSearchParams[];
  /** The status of its responses. */
  status: number;
  /** The JSON body of its responses to GET. */
  json: unknown;
}

/** Applications that record the POST requests they receive. All are closed after the current suite. */
export function relyingParties(): () => Promise<RelyingParty> {
  const closings: (() => void)[] = [];
  after(() => {
    for (const close of closings) close();
  });
  return async () => {
    const posts: URLSearchParams[] = [];
    const party: RelyingParty & { url: string } = { url: '', posts, status: 200, json: undefined };
    const server = createServer(async (request, response) => {
      let sent = '';
      for await (const chunk of request) sent += chunk;
      if (request.method === 'POST') posts.push(new URLSearchParams(sent));
      const body = request.method === 'GET' && party.json !== undefined ? JSON.stringify(party.json) : '';
      response.writeHead(party.status, { location: '/elsewhere', 'content-type': 'application/json' }).end(body);
    });
    closings.push(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    party.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return party;
  };
}
