import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { trials } from '../harness/trial.ts';

const senders = 800;

const heads = [
  // Headers that never end.
  'GET /v1/entries HTTP/1.1\r\nhost: gatehouse\r\nx-slow: ',
  // A body that never ends.
  'POST /v1/register HTTP/1.1\r\nhost: gatehouse\r\naccept: application/json\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{"email":"',
] as const;

interface Sender {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  response: string;
}

async function open(url: string, head: string): Promise<Sender> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const sender: Sender = { socket, closed: once(socket, 'close'), response: '' };
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    sender.response += chunk;
  });
  await once(socket, 'connect');
  socket.write(head);
  return sender;
}

describe('Hundreds of connections that send one byte at a time', () => {
  const begin = trials();

  it('delay no other caller, and are closed after the timeout', async (t) => {
    const { oracle, start } = await begin({});
    const { url, child } = await start({ REQUEST_TIMEOUT: '20' });
    oracle.begin(4);
    await oracle.succeeds(50);
    const slow: Sender[] = [];
    for (let n = 0; n < senders; n++) slow.push(await open(url, heads[n % 2] as string));
    const dripping = setInterval(() => {
      for (const { socket } of slow) if (socket.writable) socket.write('x');
    }, 500);
    t.after(() => clearInterval(dripping));
    await oracle.succeeds(200);
    // Even if they send steadily.
    await Promise.all(slow.map(({ closed }) => closed));
    await oracle.succeeds(50);
    await oracle.end();
    assert.equal(child.exitCode, null);
    const statuses = new Map<string, number>();
    for (const { response } of slow) {
      const status = /^HTTP\/1\.1 (\d+)/.exec(response)?.[1] ?? 'closed';
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    t.diagnostic(`${senders} slow senders: ${[...statuses].map(([status, n]) => `${n} × ${status}`).join(', ')}`);
    assert.deepEqual(
      [...statuses.keys()].filter((status) => !['408', 'closed'].includes(status)),
      [],
    );
    const unanswered = oracle.responses.get(0) ?? 0;
    const refused = [...oracle.responses].filter(([status]) => status >= 500);
    t.diagnostic(await oracle.check());
    assert.deepEqual([unanswered, refused], [0, []]);
  });
});
