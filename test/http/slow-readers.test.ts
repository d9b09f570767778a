import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { ask, logIn } from '../harness/ask.ts';
import { type Service, services } from '../harness/service.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n`;

describe('Connections that nobody uses', () => {
  const start = services('sqlite');
  const sockets: Socket[] = [];
  let service: Service;
  before(async () => {
    service = await start({ env: { ANSWER_TIMEOUT: '1', MAX_CONNECTIONS: '40' } });
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };

  it('end where their callers ask and do not read', async () => {
    const slow = await open();
    slow.pause();
    const ended = new Promise((resolve) => slow.once('close', resolve));
    // More than the system takes in their place.
    slow.write(get('/openapi.json').repeat(500));
    const other = await ask(service, '/openapi.json');
    assert.equal(other.status, 200);
    // Who does not read does not see the end either, but who writes does.
    const write = setInterval(() => slow.write(get('/health/live')), 20);
    await ended.finally(() => clearInterval(write));
  });

  it('make room for those who come, so that people can log in', async () => {
    for (let n = 0; n < 100; n++) {
      const socket = await open();
      socket.write(get('/health/live'));
      // Those who come faster than others can be let go are dropped.
      await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
    }
    for (let n = 0; ; n++) {
      const token = await logIn(service, 'admin@example.com', 'correct horse battery').catch((error) => error);
      if (typeof token === 'string') break;
      assert.ok(n < 1000, token);
    }
    assert.ok(sockets.filter((socket) => !socket.destroyed).length <= 40);
  });
});
