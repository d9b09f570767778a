import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { ended, gatehouse, startCommand } from '../harness/command.ts';
import { logIn, request } from '../harness/request.ts';
import { services } from '../harness/service.ts';

const resources = new URL('../changes/resources', import.meta.url).pathname;

describe('gatehouse webhooks listen', () => {
  const start = services('sqlite');
  const children: ChildProcess[] = [];
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  async function listen(...options: string[]) {
    const child = startCommand(['webhooks', 'listen', ...options], process.cwd());
    children.push(child);
    const output = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
    const url = /http:\/\/\S+/.exec(String((await output.next()).value))?.[0] as string;
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { child, url, line: async () => String((await lines.next()).value) };
  }

  for (const signature of ['hmac', 'ed25519']) {
    it(`prints deliveries and verifies their signature (${signature})`, async () => {
      const service = await start({ env: { RESOURCES_DIR: resources } });
      const token = await logIn(service, 'admin@example.com', 'correct horse battery');
      const first = await listen('--port', '0');
      const made = await request<{ data: { id: string; secret: string } }>(service, '/v1/webhooks', {
        json: { url: first.url, resources: ['cars'], signature },
        token,
      });
      const { id, secret } = made.body.data;
      const ping = () => request(service, `/v1/webhooks/${id}/pings`, { method: 'POST', token });
      await ping();
      assert.match(await first.line(), /not verified {2}ping/);
      first.child.kill('SIGINT');
      assert.deepEqual(await ended(first.child), [0, null]);
      const port = new URL(first.url).port;
      const second = await listen('--port', port, '--secret', secret);
      await request(service, '/v1/cars', { json: { plate: 'L 1' }, token });
      assert.match(await second.line(), / verified {2}cars\.created {2}\S+ {2}\{.*"plate":"L 1"/);
      const forged = await fetch(second.url, {
        method: 'POST',
        body: '{"type":"cars.created"}',
        headers: { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA v1a,AAAA' },
      });
      assert.equal(forged.status, 401);
      assert.match(await second.line(), /wrong signature/);
      second.child.kill('SIGTERM');
      assert.deepEqual(await ended(second.child), [0, null]);
    });
  }

  it('reports that another program uses the port', async () => {
    const { child, url } = await listen('--port', '0');
    const { port } = new URL(url);
    const { code, stderr } = await gatehouse(['webhooks', 'listen', '--port', port], process.cwd());
    assert.deepEqual(
      [code, stderr.trim()],
      [
        1,
        `gatehouse: Another program listens on 127.0.0.1 port ${port}. Choose another port, or any free one: --port 0`,
      ],
    );
    child.kill('SIGTERM');
    assert.deepEqual(await ended(child), [0, null]);
  });
});
