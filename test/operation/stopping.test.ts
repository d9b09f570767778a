import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { beforeEach, describe, it } from 'node:test';
import { ended, gatehouse, type ServerProcess, serverProcesses } from '../harness/command.ts';
import { databases } from '../harness/engines.ts';
import { holdBack } from '../harness/raw-http.ts';

describe('A service that is asked to stop', () => {
  const create = databases('sqlite');
  const serve = serverProcesses();
  let dir: string;
  beforeEach(async () => {
    dir = (await create()).dir;
  });

  const waitForLog = async ({ lines }: ServerProcess, what: RegExp) => {
    while (!lines.some((line) => what.test(line))) await new Promise((resolve) => setImmediate(resolve));
  };
  const secret = 'a-password-nobody-knows';
  const opening = (length: number) =>
    `POST /v1/clients/web/admin/login HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

  it('finishes running requests, accepts no new ones, and exits with 0', async () => {
    const service = await serve(dir, { ADMIN_PASSWORD: secret, LOG_LEVEL: 'trace' });
    const port = Number(new URL(service.url).port);
    const body = JSON.stringify({ email: 'admin@localhost', password: secret });
    const socket = connect(port, '127.0.0.1');
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.write(opening(body.length) + body.slice(0, 10));
    // This response on another connection shows that the partial request before it has been read.
    await fetch(`${service.url}/health/live`);
    service.child.kill('SIGTERM');
    await waitForLog(service, /"stopping"/);
    await assert.rejects(fetch(`${service.url}/health/live`));
    socket.write(body.slice(10));
    assert.deepEqual(await ended(service.child), [0, null]);
    assert.match(response, /^HTTP\/1\.1 200 OK/);
    assert.match(response, /"access_token"/);
    await waitForLog(service, /"stopped"/);

    const token = /"access_token":"([^"]+)"/.exec(response)?.[1] as string;
    const log = service.lines.join('\n');
    assert.ok(!log.includes(secret) && !log.includes(token), 'no secret is logged');
  });

  it('finishes the form of a page, which needs the API', async () => {
    const service = await serve(dir, {});
    const page = await fetch(`${service.url}/password/forgot`);
    const cookie = page.headers.getSetCookie().map((set) => set.split(';', 1)[0]);
    const [, csrf = ''] = /name="_csrf" value="([^"]+)"/.exec(await page.text()) ?? [];
    const form = await holdBack(service.url, {
      method: 'POST',
      path: '/password/forgot',
      headers: { cookie: cookie.join('; '), 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ _csrf: csrf, email: 'ada@example.com' }).toString(),
    });
    service.child.kill('SIGTERM');
    await waitForLog(service, /"stopping"/);
    await assert.rejects(fetch(`${service.url}/health/live`));
    const { status, headers } = await form.finish();
    assert.deepEqual([status, headers.get('location')], [303, '/password/forgot?done=sent']);
    assert.deepEqual(await ended(service.child), [0, null]);
  });

  it('rejects a further request on an open connection', async () => {
    const service = await serve(dir, {});
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(`${opening(2)}{`);
    await fetch(`${service.url}/health/live`);
    service.child.kill('SIGTERM');
    await waitForLog(service, /"stopping"/);
    socket.write(`}GET /v1/users HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n`);
    assert.deepEqual(await ended(service.child), [0, null]);
    const [first, second] = received.split(/(?=HTTP\/1\.1 )/);
    assert.match(first ?? '', /^HTTP\/1\.1 400 .*"invalid_request"/s);
    assert.match(second ?? '', /^HTTP\/1\.1 503 .*retry-after: 1\r\n.*"The service is stopping/is);
  });

  it('is not ready while it drains, still responds to other requests, and exits at a second signal', async () => {
    const service = await serve(dir, { DRAIN_SECONDS: '3600' });
    assert.equal((await fetch(`${service.url}/health/ready`)).status, 200);
    service.child.kill('SIGTERM');
    await waitForLog(service, /"draining"/);
    const [ready, live, keys] = await Promise.all(
      ['/health/ready', '/health/live', '/.well-known/jwks.json'].map((path) => fetch(service.url + path)),
    );
    assert.deepEqual([ready?.status, live?.status, keys?.status], [503, 200, 200]);
    assert.ok(Number(ready?.headers.get('retry-after')) > 0);
    assert.deepEqual(await ready?.json(), { status: 'not ready', checks: { draining: 'not ready' } });
    service.child.kill('SIGTERM');
    assert.deepEqual(await ended(service.child), [0, null]);
    await waitForLog(service, /"stopped"/);
  });

  it('drains for DRAIN_SECONDS, and not at all after Ctrl-C', async () => {
    const drained = await serve(dir, { DRAIN_SECONDS: '1' });
    drained.child.kill('SIGTERM');
    await waitForLog(drained, /"draining"/);
    assert.deepEqual(await ended(drained.child), [0, null]);
    const interrupted = await serve(dir, { DRAIN_SECONDS: '3600' });
    interrupted.child.kill('SIGINT');
    assert.deepEqual(await ended(interrupted.child), [0, null]);
    assert.ok(!interrupted.lines.some((line) => /"draining"/.test(line)));
  });

  it('stops when the process that started it has ended', async () => {
    const service = await serve(dir);
    service.child.disconnect();
    assert.deepEqual(await ended(service.child), [0, null]);
  });

  it('reports that another program uses the port', async () => {
    const service = await serve(dir);
    const { port } = new URL(service.url);
    const { code, stderr } = await gatehouse(['serve', '--port', port], dir);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`Another program listens on 127.0.0.1 port ${port}.*PORT=`));
    service.child.kill('SIGINT');
    assert.deepEqual(await ended(service.child), [0, null]);
  });
});
