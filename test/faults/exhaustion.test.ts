import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { trials } from '../harness/trial.ts';

const headers = { accept: 'application/json', 'content-type': 'application/json' };

describe('An instance with few resources', () => {
  const begin = trials();

  it('survives a lack of file descriptors, and accepts connections again afterwards', async (t) => {
    const { oracle, start } = await begin({});
    const { url, child } = await start();
    oracle.begin(4);
    await oracle.succeeds(100);
    execFileSync('prlimit', ['--pid', String(child.pid), '--nofile=96:96']);
    const { hostname, port } = new URL(url);
    for (let round = 0; round < 3; round++) {
      const sockets: Socket[] = [];
      for (let i = 0; i < 300; i++) {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {});
        sockets.push(socket);
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
      for (const socket of sockets) socket.destroy();
      await oracle.succeeds(100);
    }
    await oracle.end();
    assert.equal(child.exitCode, null);
    t.diagnostic(await oracle.check());
  });

  it('survives with a heap of 128 MB while many clients send and read large bodies', async (t) => {
    const { oracle, start } = await begin({});
    const { url, child } = await start({ NODE_OPTIONS: '--max-old-space-size=128' });
    oracle.begin(3);
    await oracle.succeeds(100);
    const large = JSON.stringify({ label: 'x'.repeat(1_000_000), count: 1 });
    const statuses = new Map<number, number>();
    const request = async (path: string, init: RequestInit = {}) => {
      const status = await fetch(url + path, { headers, ...init }).then(
        async (response) => {
          await response.text();
          return response.status;
        },
        () => 0,
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    for (let round = 0; round < 10; round++) {
      await Promise.all([
        ...Array.from({ length: 40 }, () => request('/v1/register', { method: 'POST', body: large })),
        ...Array.from({ length: 40 }, () => request('/openapi.json')),
      ]);
    }
    await oracle.succeeds(100);
    await oracle.end();
    assert.equal(child.exitCode, null);
    assert.equal(statuses.get(500) ?? 0, 0);
    t.diagnostic(await oracle.check());
  });
});
