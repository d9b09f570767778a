import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { trials } from '../harness/trial.ts';

describe('Ten thousand idle connections', () => {
  const begin = trials();

  it('leave room for other callers', async (t) => {
    const { oracle, start } = await begin({});
    const { url, child } = await start();
    const { hostname, port } = new URL(url);
    oracle.begin(4);
    await oracle.succeeds(50);
    const sockets: Socket[] = [];
    let opened = 0;
    for (let i = 0; i < 100; i++) {
      const some = Array.from({ length: 100 }, () => connect(Number(port), hostname));
      for (const socket of some) socket.on('error', () => {});
      sockets.push(...some);
      const outcomes = await Promise.allSettled(some.map((socket) => once(socket, 'connect')));
      opened += outcomes.filter(({ status }) => status === 'fulfilled').length;
    }
    await oracle.succeeds(200);
    await oracle.end();
    assert.equal(child.exitCode, null);
    t.diagnostic(`${opened} of 10,000 connections were opened; ${await oracle.check()}`);
    for (const socket of sockets) socket.destroy();
  });
});
