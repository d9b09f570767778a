import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { before, describe, it } from 'node:test';
import { type ServerProcess, serverProcesses } from '../harness/command.ts';
import { databases } from '../harness/engines.ts';
import { request } from '../harness/request.ts';

const descriptors = 96;
const login = { email: 'admin@example.com', password: 'correct horse battery' };

describe('A service with little memory and few file descriptors', () => {
  const create = databases('sqlite');
  const serve = serverProcesses();
  let service: ServerProcess;
  before(async () => {
    const { dir } = await create();
    const env = { ADMIN_EMAIL: login.email, ADMIN_PASSWORD: login.password, LOG_LEVEL: 'info' };
    service = await serve(dir, { ...env, NODE_OPTIONS: '--max-old-space-size=160' });
  });
  const logIn = async () => (await request(service, '/v1/clients/web/admin/login', { json: login })).status;

  it('processes more data than fits into its memory, in parts', async () => {
    const name = 'x'.repeat(1_000_000);
    for (let round = 0; round < 3; round++) {
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          n % 4 ? request(service, '/v1/register', { json: { ...login, name } }) : request(service, '/openapi.json'),
        ),
      );
      assert.deepEqual([...new Set(responses.map(({ status }) => status))].sort(), [200, 422]);
    }
    assert.equal(await logIn(), 200);
  });

  it('serves again when file descriptors are free again', async (t) => {
    const { pid } = service.child;
    try {
      execFileSync('prlimit', ['--pid', String(pid), `--nofile=${descriptors}:${descriptors}`], { stdio: 'ignore' });
    } catch {
      return t.skip('prlimit is not installed here');
    }
    const { hostname, port } = new URL(service.url);
    const sockets = Array.from({ length: 2 * descriptors }, () => connect(Number(port), hostname));
    const ends = sockets.map((socket) => {
      socket.on('error', () => undefined);
      return once(socket, 'close');
    });
    while (readdirSync(`/proc/${pid}/fd`).length < descriptors) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const socket of sockets) socket.destroy();
    await Promise.all(ends);
    const answered = async () => (await logIn().catch(() => 0)) === 200;
    while (!(await answered())) assert.equal(service.child.exitCode, null);
  });
});
