import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { logIn, request } from '../harness/request.ts';
import { freePort } from '../harness/reverse-proxy.ts';
import { type Service, services } from '../harness/service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const resources = new URL('./resources', import.meta.url).pathname;

/** The command that runs each receiver on a port, and the command that shows whether its language is installed. */
const programs = new Map<string, { file: string; needs: string[]; run(file: string, port: number): string[] }>([
  [
    'Node.js',
    { file: 'receiver.mjs', needs: [process.execPath, '--version'], run: (file) => [process.execPath, file] },
  ],
  ['Python', { file: 'receiver.py', needs: ['python3', '--version'], run: (file) => ['python3', file] }],
  ['Go', { file: 'receiver.go', needs: ['go', 'version'], run: (file) => ['go', 'run', file] }],
  [
    'PHP',
    {
      file: 'receiver.php',
      needs: ['php', '--version'],
      run: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
    },
  ],
]);

interface Webhook {
  data: { id: string; secret: string };
}
interface Deliveries {
  data: { operation: string; state: string; response_status: number | null }[];
}

describe('The receivers that the console shows', () => {
  const start = services('sqlite');
  const running: ChildProcess[] = [];
  // The receiver for Node.js imports a package from this folder.
  const dir = mkdtempSync(join(root, 'node_modules', '.cache-receivers-'));
  let service: Service;
  let token: string;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resources } });
    token = await logIn(service, 'admin@example.com', 'correct horse battery');
  });
  after(() => {
    for (const child of running) process.kill(-(child.pid as number), 'SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  for (const [language, { file, needs, run }] of programs) {
    it(`accept a signed delivery and refuse a forged one: ${language}`, async (test) => {
      const [program = '', ...args] = needs;
      if (spawnSync(program, args).status !== 0) return test.skip(`${language} is not installed here`);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const json = { url, resources: ['cars'] };
      const { body } = await request<Webhook>(service, '/v1/webhooks', { json, token });
      const { id, secret } = body.data;
      const code = readFileSync(join(root, 'extensions/changes/console/receivers', file), 'utf8');
      writeFileSync(join(dir, file), code.replaceAll('8080', String(port)));
      const [command = '', ...rest] = run(join(dir, file), port);
      // A separate process group, because `go run` starts the compiled program as a child.
      const env = { ...process.env, WEBHOOK_SECRET: secret };
      running.push(spawn(command, rest, { env, detached: true, stdio: 'ignore' }));
      const forged = () =>
        fetch(url, {
          method: 'POST',
          headers: {
            'webhook-id': 'forged',
            'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
            'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
          },
          body: '{"type":"cars.created","data":{"id":"1"}}',
        }).then(
          ({ status }) => status,
          () => undefined,
        );
      let response = await forged();
      while (response === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        response = await forged();
      }
      assert.equal(response, 401);
      assert.equal((await request(service, '/v1/cars', { json: { plate: language }, token })).status, 201);
      await request(service, `/v1/webhooks/${id}/pings`, { method: 'POST', token });
      for (;;) {
        const { data } = (await request<Deliveries>(service, `/v1/webhooks/${id}/deliveries`, { token })).body;
        if (data.length === 2 && data.every(({ response_status: status }) => status !== null)) {
          assert.deepEqual(data.map((each) => [each.operation, each.state, each.response_status]).sort(), [
            ['created', 'delivered', 204],
            ['ping', 'delivered', 204],
          ]);
          break;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await request(service, `/v1/webhooks/${id}`, { method: 'DELETE', token });
      return undefined;
    });
  }
});
