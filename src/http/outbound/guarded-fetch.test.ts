import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { createGuardedFetch, isPublicAddress, OutboundError } from './guarded-fetch.ts';

const config = { baseUrl: 'https://auth.example.com', outboundPrivateAddresses: false };
const onLoopback = { ...config, baseUrl: 'http://127.0.0.1:3000' };

/** A resolver that returns these answers, one after the other. */
function resolver(...responses: string[][]) {
  const requested: string[] = [];
  const lookUp = (name: string, _options: unknown, done: (error: null, found: LookupAddress[]) => void) => {
    requested.push(name);
    const response = responses[Math.min(requested.length, responses.length) - 1] ?? [];
    done(
      null,
      response.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { asked: requested, lookUp };
}

describe('Addresses of the public internet', () => {
  const open = ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'];
  const closed = [
    ...['127.0.0.1', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
    ...['100.64.0.1', '198.18.0.1', '192.0.2.1', '224.0.0.1', '255.255.255.255'],
    ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
    ...['::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::1', '2001:0:1::1', '2001:db8::1', '3fff::1'],
    ...['::ffff:0:127.0.0.1', 'localhost', ''],
  ];
  for (const address of open) it(`include ${address}`, () => assert.equal(isPublicAddress(address), true));
  for (const address of closed) it(`do not include '${address}'`, () => assert.equal(isPublicAddress(address), false));
});

describe('Guarded fetch', () => {
  const servers: { close(): void; closeAllConnections(): void }[] = [];
  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  const listen = async (response: RequestListener): Promise<{ port: number; url: string }> => {
    const server = createServer(response);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { port, url: `http://127.0.0.1:${port}` };
  };
  const refused = (pattern: RegExp) => (error: unknown) =>
    error instanceof OutboundError && pattern.test(error.message);

  it('posts a form and reads the response', async () => {
    const { port } = await listen(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.writeHead(201, { 'x-seen': `${request.method} ${request.url} ${request.headers.host}` }).end(body);
    });
    const fetch = createGuardedFetch(onLoopback, resolver(['127.0.0.1']).lookUp);
    const response = await fetch(`http://app.test:${port}/logout`, { method: 'POST', body: 'a=ü' });
    assert.equal(response.status, 201);
    assert.equal(response.headers['x-seen'], `POST /logout app.test:${port}`);
    assert.equal(response.body.toString(), 'a=ü');
  });

  it('connects to no private address, in any spelling', async () => {
    let calls = 0;
    const { port } = await listen((_request, response) => {
      calls++;
      response.end();
    });
    const fetch = createGuardedFetch(config);
    const hosts = [
      '127.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '2130706433',
      '0x7f.1',
      '0',
      '10.0.0.1',
      '169.254.169.254',
    ];
    for (const host of hosts) await assert.rejects(fetch(`http://${host}:${port}/`), refused(/public internet/), host);
    await assert.rejects(createGuardedFetch(onLoopback)(`http://10.0.0.1:${port}/`), refused(/public internet/));
    const local = createGuardedFetch(config, resolver(['127.0.0.1']).lookUp);
    await assert.rejects(local(`http://rebound.test:${port}/`), refused(/public internet/));
    const mixed = createGuardedFetch(config, resolver(['8.8.8.8', '127.0.0.1']).lookUp);
    await assert.rejects(mixed(`http://mixed.test:${port}/`), refused(/public internet/));
    assert.equal(calls, 0);
  });

  it('resolves a name once and connects to the address that it checked', async () => {
    const { port } = await listen((_request, response) => response.end('reached'));
    const changing = resolver(['127.0.0.1'], ['10.0.0.1']);
    const fetch = createGuardedFetch(onLoopback, changing.lookUp);
    assert.equal((await fetch(`http://changing.test:${port}/`)).body.toString(), 'reached');
    assert.deepEqual(changing.asked, ['changing.test']);
    await assert.rejects(
      fetch(`http://changing.test:${port}/`),
      refused(/public internet/),
      'the name is resolved again for each request',
    );
  });

  it('connects to private addresses if the operator allows it', async () => {
    const { url } = await listen((_request, response) => response.end('inside'));
    const fetch = createGuardedFetch({ ...config, outboundPrivateAddresses: true });
    assert.equal((await fetch(url)).body.toString(), 'inside');
  });

  it('follows no redirect', async () => {
    const { url } = await listen((_request, response) =>
      response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    );
    assert.equal((await createGuardedFetch(onLoopback)(url)).status, 302);
  });

  it('gives up if a response does not begin, does not end, or is too long, unless it may be truncated', async () => {
    const silent = await listen(() => undefined);
    const dripping = await listen((_request, response) => {
      response.write('a');
    });
    const endless = await listen((_request, response) => {
      const more = () => {
        while (response.write('a'.repeat(16_384)));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    });
    const fetch = createGuardedFetch(onLoopback);
    await assert.rejects(fetch(silent.url, { timeoutMs: 50 }), refused(/too long/));
    await assert.rejects(fetch(dripping.url, { timeoutMs: 50 }), refused(/too long/));
    await assert.rejects(
      fetch(endless.url, { timeoutMs: 60_000, maxBytes: 10_000 }),
      refused(/longer than 10000 bytes/),
    );
    const truncated = await fetch(endless.url, { timeoutMs: 60_000, maxBytes: 10_000, truncate: true });
    assert.deepEqual([truncated.status, truncated.body.toString()], [200, 'a'.repeat(10_000)]);
  });

  it('accepts only http and https, without a password in the URL', async () => {
    const fetch = createGuardedFetch(onLoopback);
    for (const url of ['file:///etc/passwd', 'ftp://8.8.8.8/', 'nonsense', ''])
      await assert.rejects(fetch(url), refused(/not an http or https/));
    await assert.rejects(
      fetch('https://user:secret@8.8.8.8/'),
      (error) => refused(/a password/)(error) && !/secret/.test(String(error)),
    );
  });
});
