import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, describe, it } from 'node:test';
import { bareServers } from '../harness/bare-server.ts';

/** Sends the bytes, then `drip` repeatedly until the server closes the connection. Returns the response. */
function sendSlowly(url: string, bytes: string, drip: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let response = '';
    const dripping = setInterval(() => socket.writable && socket.write(drip), 20);
    socket.on('data', (chunk) => {
      response += chunk;
    });
    // The server may close the connection during a write. Its response counts.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(dripping);
      resolve(response);
    });
    socket.write(bytes);
  });
}

describe('A request that does not arrive completely', () => {
  const start = bareServers();
  let url: string;
  before(async () => {
    url = await start({ REQUEST_TIMEOUT: '1' });
  });

  const post = (type: string, length: string) =>
    `POST /v1/things HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`;

  for (const [what, bytes, drip] of [
    ['its first line', 'GET /v1', 'x'],
    ['its headers', 'GET /v1/things HTTP/1.1\r\nX: ', 'x'],
    ['a JSON body', `${post('application/json', 'Content-Length: 100000')}{"a":"`, 'x'],
    ['a form', post('application/x-www-form-urlencoded', 'Content-Length: 100000'), 'a'],
    ['a body in chunks', post('application/json', 'Transfer-Encoding: chunked'), '1\r\n{\r\n'],
  ] as const) {
    it(`ends with 408 when ${what} arrives byte by byte`, async () => {
      const response = await sendSlowly(url, bytes, drip);
      assert.match(response, /^HTTP\/1\.1 408 Request Timeout\r\n/);
      assert.match(response, /"code":"request_timeout"/);
    });
  }
});
