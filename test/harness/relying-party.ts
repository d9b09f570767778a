import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export interface RelyingParty {
  readonly url: string;
  /** The bodies of what was posted to it, in the order of their coming. */
  readonly posts: URLSearchParams[];
  /** What it answers. */
  status: number;
  /** What it answers to GET, as JSON. */
  json: unknown;
}

/** Applications that note what is posted to them; all are closed after the suite that is being declared. */
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
