import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n`;

describe('Connections that are not read', () => {
  const start = services('sqlite');
  const sockets: Socket[] = [];
  let service: Service;
  before(async () => {
    service = await start({ env: { SEND_TIMEOUT: '1', MAX_CONNECTIONS: '40' } });
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const open = async ({ url } = service): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };

  it('are closed if their callers send requests and do not read', async () => {
    const slow = await open();
    slow.pause();
    const ended = new Promise((resolve) => slow.once('close', resolve));
    // More than the buffers of the operating system hold.
    slow.write(get('/openapi.json').repeat(150));
    const other = await request(service, '/openapi.json');
    assert.equal(other.status, 200);
    // A paused connection does not report its end, but a write to it fails.
    const write = setInterval(() => slow.write(get('/health/live')), 20);
    await ended.finally(() => clearInterval(write));
  });

  it('start a request only after the previous response was read', async () => {
    const service = await start();
    const { server } = service.app;
    const peers = new Promise<Socket>((resolve) => server.once('connection', resolve));
    const slow = await open(service);
    const peer = await peers;
    slow.pause();
    const { text } = await request(service, '/openapi.json');
    const handled = async () => {
      const { text } = await request(service, '/metrics');
      return Number(/duration_seconds_count\{[^}]*route="\/openapi.json"[^}]*\} (\d+)/.exec(text)?.[1]);
    };
    const before = await handled();
    slow.write(get('/openapi.json').repeat(30));
    // Until the buffers of the operating system are full.
    while (peer.writableLength === 0) await request(service, '/health/live');
    for (let n = 0; n < 30; n++) await request(service, '/health/live');
    const taken = Math.floor((peer.bytesWritten - peer.writableLength) / Buffer.byteLength(text));
    const count = (await handled()) - before;
    assert.ok(count <= taken + 1, `${count} requests were handled, and the buffers contain ${taken} responses`);
    let responses = 0;
    let seen = '';
    slow.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      responses += seen.split('HTTP/1.1 200').length - 1;
      seen = seen.slice(-11);
    });
    slow.resume();
    while (responses < 30) await new Promise((resolve) => setImmediate(resolve));
  });

  it('are closed if too many requests wait on one of them', async () => {
    const flood = await open();
    const ended = new Promise((resolve) => flood.once('close', resolve));
    flood.pause();
    const write = setInterval(() => flood.write(get('/openapi.json').repeat(300)), 5);
    await ended.finally(() => clearInterval(write));
  });

  it('are closed to make room for new ones, so that users can log in', async () => {
    for (let n = 0; n < 100; n++) {
      const socket = await open();
      socket.write(get('/health/live'));
      // New connections are dropped if others cannot be closed fast enough.
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
