import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, describe, it } from 'node:test';
import pino from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import { startGatehouse } from '../../src/main/start.ts';
import { Visitor } from '../harness/visitor.ts';

describe('Secrets that pass through the pages', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-secrets-'));
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('are in no log line at any level, and in no address', async () => {
    let logged = '';
    const lines = new Writable({
      write(chunk, _encoding, done) {
        logged += chunk;
        done();
      },
    });
    const config = parseConfig({}, { DATA_DIR: dir, PORT: '0', LOG_LEVEL: 'trace' }, dir);
    const service = await startGatehouse(config, { log: pino({ level: 'trace' }, lines) });
    const visitor = new Visitor(service);
    const addresses: (string | null)[] = [];
    const send = async (path: string, fields: Record<string, string>) => {
      const visit = await visitor.send(path, fields);
      addresses.push(visit.location);
      return visit.html;
    };
    const valueIn = (html: string, id: string) => new RegExp(`id="${id}"[^>]*>([^<]+)<`).exec(html)?.[1] as string;

    const secrets = ['mistaken-password-1', 'registered-password-2', 'changed-password-3', 'link-token-4'];
    const [mistaken, registered, changed, linkToken] = secrets as [string, string, string, string];
    await visitor.signIn('ada@example.com', mistaken);
    await visitor.get('/register');
    await send('/register', { email: 'ada@example.com', password: registered });
    await visitor.get('/settings');
    for (const name of ['session', 'renewal', 'visitor']) secrets.push(visitor.cookies.get(name) as string);
    await send('/settings/password', { current_password: registered, password: changed });
    const application = await send('/settings/applications', { name: 'Importer', access: 'all' });
    secrets.push(valueIn(application, 'client-secret'));
    const token = await send('/settings/tokens', { name: 'Script', access: 'all', days: '7' });
    secrets.push(valueIn(token, 'access-token'));
    await visitor.get(`/password/reset/${linkToken}`);
    await send(`/password/reset/${linkToken}`, { password: changed });
    await visitor.get(`/email/confirm/${linkToken}`);
    await send(`/email/confirm/${linkToken}`, {});
    await service.stop();

    assert.ok(logged.includes('/settings/applications'), 'requests were logged');
    for (const secret of secrets) {
      assert.ok(secret.length > 10);
      assert.ok(!logged.includes(secret), `in the log: ${secret}`);
      assert.ok(!addresses.some((address) => address?.includes(secret)), `in an address: ${secret}`);
    }
  });
});
