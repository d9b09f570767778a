import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gatehouseHere } from '../harness/command-here.ts';

const password = 'ab/cd+e=@:?#%';

/** A server that requests the password in clear text, and then refuses it (PostgreSQL protocol 3.0). */
async function passwordServer() {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (sent: Buffer) => {
      if (sent[0] !== 'p'.charCodeAt(0)) return socket.write(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]));
      heard.push(sent.subarray(5, -1).toString());
      const fields = Buffer.from('SFATAL\0C28P01\0Mpassword authentication failed for user "gatehouse"\0\0');
      const head = Buffer.from([69, 0, 0, 0, fields.length + 4]);
      return socket.end(Buffer.concat([head, fields]));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { port: (server.address() as AddressInfo).port, heard };
}

describe('A database password outside of the URL', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-password-'));
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('reaches the server unchanged, like in compose.yaml, and is in no message', async () => {
    const { port, heard } = await passwordServer();
    const { code, stdout, stderr } = await gatehouseHere(['user', 'list'], dir, {
      DATABASE_URL: `postgres://gatehouse@127.0.0.1:${port}/gatehouse`,
      PGPASSWORD: password,
      ENCRYPTION_KEY: 'a'.repeat(32),
      LOG_LEVEL: 'silent',
    });
    assert.equal(code, 1);
    assert.deepEqual(new Set(heard), new Set([password]));
    assert.match(stderr, /password authentication failed/);
    assert.ok(!`${stdout}${stderr}`.includes(password), stderr);
  });
});
