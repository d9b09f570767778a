import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { createTestDatabase } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { trials } from '../harness/trial.ts';

const connections = 600;
const requests = 20;

const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe(`${connections} connections that send ${requests} requests each and read no response`, () => {
  const begin = trials();

  it('use no more memory than the limit, and do not affect other callers', { timeout: 300_000 }, async (t) => {
    const database = await createTestDatabase('sqlite');
    t.after(() => database.remove());
    const { oracle, start } = await begin({ DATABASE_URL: database.url });
    const { child, url } = await start();
    const pid = child.pid as number;
    const get = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n'.repeat(requests);
    const size = (await request({ url }, '/openapi.json')).text.length;
    oracle.begin(2);
    await oracle.succeeds(20);
    const before = residentOf(pid);
    const sockets = await Promise.all(
      Array.from({ length: connections }, async () => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        socket.pause();
        socket.write(get);
        return socket;
      }),
    );
    let most = before;
    for (let n = 0; n < 40; n++) {
      await oracle.succeeds(5);
      most = Math.max(most, residentOf(pid));
    }
    for (const socket of sockets) socket.destroy();
    await oracle.end();
    const asked = (connections * requests * size) / 1024 ** 2;
    const figures = `${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most, ${asked.toFixed(0)} MB asked for`;
    t.diagnostic(`${figures}; ${await oracle.check()}`);
    assert.ok(most < before + 512, figures);
  });
});
