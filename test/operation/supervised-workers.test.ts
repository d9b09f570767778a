import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ended, type ServerProcess, serverProcesses } from '../harness/command.ts';
import { connections } from '../harness/connections.ts';
import { databases } from '../harness/engines.ts';
import { holdBack } from '../harness/raw-http.ts';
import { startedProcesses, starters } from '../harness/starts.ts';

const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
};
const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

describe('The supervisor of the workers', () => {
  const create = databases('sqlite');
  const serve = serverProcesses();
  const start = startedProcesses();
  const open = connections();

  const entries = ({ lines }: ServerProcess) => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const pids = (service: ServerProcess) =>
    entries(service)
      .filter(({ msg }) => msg === 'a worker serves')
      .map(({ pid }) => pid as number);
  const startTwo = async () => serve((await create()).dir, { WORKERS: '2', LOG_LEVEL: 'debug' });

  it('distributes connections to all workers', async () => {
    const service = await startTwo();
    const asks = open(service.url, 20);
    for (const [n, request] of asks.entries()) await request('/v1/users', { headers: { 'x-request-id': `who-${n}` } });
    const answered = () => entries(service).filter(({ requestId }) => String(requestId).startsWith('who-'));
    await until(() => answered().length === 20);
    const counts = Map.groupBy(answered(), ({ worker }) => worker);
    assert.deepEqual(
      [...counts.values()].map(({ length }) => length),
      [10, 10],
    );
  });

  it('closes connections above the limit', { timeout: 120_000 }, async () => {
    const service = await serve((await create()).dir, { WORKERS: '2', MAX_CONNECTIONS: '4' });
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const login = { method: 'POST', path: '/v1/clients/web/admin/login', headers, body: '{}' };
    const held = await Promise.all(Array.from({ length: 6 }, () => holdBack(service.url, login)));
    const results = await Promise.allSettled(held.map((request) => request.finish()));
    const statuses = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.status] : []));
    assert.ok(statuses.length > 0 && statuses.length <= 4, `${statuses.length} requests were answered`);
    assert.deepEqual(new Set(statuses), new Set([400]));
  });

  it('reports a worker that hangs, and replaces it', { timeout: 120_000 }, async () => {
    const service = await startTwo();
    const [hung = 0] = pids(service);
    process.kill(hung, 'SIGSTOP');
    const ready = async () => {
      // Requests of the hung worker are never answered.
      const signal = AbortSignal.timeout(1000);
      const response = await fetch(`${service.url}/health/ready`, { signal }).catch(() => undefined);
      return response && { code: response.status, ...((await response.json()) as { checks: Record<string, string> }) };
    };
    await until(async () => (await ready())?.code === 503);
    await until(() => pids(service).length === 3);
    await until(async () => (await ready())?.checks.workers === 'ok');
    assert.ok(isGone(hung));
    assert.equal(
      entries(service).filter(({ msg }) => msg === 'a worker does not respond; the supervisor ends it').length,
      1,
    );
  });

  it('replaces a worker that ends while the others start', { timeout: 120_000 }, async () => {
    const { dir } = await create();
    const [, command] = starters;
    assert.ok(command);
    const service = start(command, dir, { DATA_DIR: dir, PORT: '0', WORKERS: '2' });
    await service.says(/a worker serves/);
    const served = () => [...service.printed().matchAll(/"pid":(\d+),"msg":"a worker serves"/g)].map(([, pid]) => pid);
    process.kill(Number(served()[0]), 'SIGKILL');
    await until(() => served().length === 3);
  });

  it('leaves no worker on the port when it is killed, not even one that hangs', async () => {
    const service = await startTwo();
    const [hung = 0, other = 0] = pids(service);
    process.kill(hung, 'SIGSTOP');
    try {
      service.child.kill('SIGKILL');
      await ended(service.child);
      await assert.rejects(fetch(`${service.url}/health/live`), /fetch failed/);
      await until(() => isGone(other));
    } finally {
      process.kill(hung, 'SIGKILL');
    }
  });

  for (const WORKERS of ['1', '2']) {
    it(`exits with 0 when it is stopped during the start (WORKERS=${WORKERS})`, async () => {
      const { dir } = await create();
      const [, command] = starters;
      assert.ok(command);
      const { child, end, says, printed } = start(command, dir, { DATA_DIR: dir, PORT: '0', WORKERS });
      await says(/migrated the database/);
      child.kill('SIGTERM');
      assert.deepEqual(await end, [0, null], printed());
    });
  }
});
