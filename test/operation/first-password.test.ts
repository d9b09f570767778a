import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, mock } from 'node:test';
import pino from 'pino';
import { printAddresses } from '../../src/cli/terminal/print-addresses.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const email = 'admin@example.com';
const env = { ADMIN_EMAIL: email, ADMIN_PASSWORD: '' };

async function printed(work: () => Promise<void>): Promise<string> {
  const lines: string[] = [];
  const { mock: spy } = mock.method(console, 'log', (line: string) => lines.push(line));
  try {
    await work();
  } finally {
    spy.restore();
  }
  return lines.join('\n');
}

onBothEngines('The first password', (engine) => {
  const create = databases(engine);
  const start = services(engine);
  const asStarted = (service: Service) => ({ ...service, stop: service.close });
  const logIn = async (service: Service, password: string) =>
    (await request(service, '/v1/clients/web/admin/login', { json: { email, password } })).status;

  it('is shown at each start until the administrator has signed in, and is stored nowhere afterwards', async () => {
    const database = await create();
    const file = join(database.dir, 'first-password');
    const first = await start({ database, env });
    const password = readFileSync(file, 'utf8').trim();
    assert.deepEqual(await first.administrator, { email, password, file, isNew: true });
    await first.close();

    const logged: string[] = [];
    const log = pino({}, { write: (line: string) => logged.push(line) });
    const second = await start({ database, env, log });
    assert.deepEqual(await second.administrator, { email, password, file, isNew: false });
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await printAddresses(asStarted(second), false);
    assert.match(logged.join(''), /nobody has signed in with the first password yet/);
    assert.doesNotMatch(logged.join(''), new RegExp(password));
    assert.match(await printed(() => printAddresses(asStarted(second), true)), new RegExp(`Password +${password} `));
    assert.equal(await logIn(second, 'not that one'), 400);
    assert.ok(existsSync(file));
    assert.equal(await logIn(second, password), 200);
    assert.ok(!existsSync(file));
    await second.close();

    // The file exists again, as after a sign-in on another machine.
    writeFileSync(file, password);
    const third = await start({ database, env });
    assert.equal(await third.administrator, undefined);
    assert.ok(!existsSync(file));
  });

  it('is deleted when another one is set, and that of another database is kept', async () => {
    const { database } = await start({ env });
    const settings = { ...env, DATABASE_URL: database.url, DATA_DIR: database.dir };
    const file = join(database.dir, 'first-password');
    assert.ok(existsSync(file));
    const { code, stderr } = await gatehouseHere(['user', 'password', email], database.dir, settings);
    assert.equal(code, 0, stderr);
    assert.ok(!existsSync(file));
    writeFileSync(file, 'of another database');
    const again = await start({ database, env });
    assert.equal(await again.administrator, undefined);
    assert.ok(existsSync(file));
  });

  it('is deleted when its user is no longer an administrator, also if another machine made the change', async () => {
    for (const [end, ...calls] of [
      ['loses the role', ['user', 'role', email, '--', '-admin']],
      ['is disabled', ['user', 'disable', email]],
    ] as const) {
      const { database } = await start({ env });
      const settings = { ...env, DATABASE_URL: database.url, DATA_DIR: database.dir };
      const file = join(database.dir, 'first-password');
      const password = readFileSync(file, 'utf8');
      const second = ['user', 'create', '--email', 'second@example.com', '--role', 'admin'];
      for (const args of [second, ...calls]) {
        assert.ok(existsSync(file), end);
        const { code, stderr } = await gatehouseHere(args, database.dir, settings);
        assert.equal(code, 0, stderr);
      }
      assert.ok(!existsSync(file), end);
      if (end === 'is disabled') continue;
      writeFileSync(file, password);
      const again = await start({ database, env });
      assert.deepEqual([await again.administrator, existsSync(file)], [undefined, false], end);
    }
  });
});
