import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { parseConfig } from '../../src/config/config.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { gatehouse, serverProcesses } from '../harness/command.ts';
import { databases, onBothEngines } from '../harness/engines.ts';

const json = { accept: 'application/json', 'content-type': 'application/json' };

onBothEngines('Starting', (engine) => {
  const create = databases(engine);
  const serve = serverProcesses();

  it('creates missing data once, even if several instances start together', async () => {
    const { dir, url: DATABASE_URL } = await create();
    // The issuer in tokens: the same for all instances, on any port.
    const env = { DATABASE_URL, DATA_DIR: dir, BASE_URL: 'http://gatehouse.test' };
    const instances = await Promise.all([serve(dir, env), serve(dir, env), serve(dir, env)]);
    const sets = await Promise.all(
      instances.map(async ({ url }) => (await fetch(`${url}/.well-known/jwks.json`)).text()),
    );
    assert.equal(new Set(sets.map((set) => createHash('sha1').update(set).digest('hex'))).size, 1);
    const lines = instances.flatMap((instance) => instance.lines);
    const named = lines.filter((line) => line.includes('"msg":"the password of the administrator is in this file'));
    assert.equal(named.length, 1, 'one instance created the administrator and logged the file of the password');
    const { file } = JSON.parse(named[0] as string) as { file: string };
    assert.equal(file, join(dir, 'first-password'));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const password = readFileSync(file, 'utf8').trim();
    assert.match(password, /^[\w-]{20}$/);
    assert.ok(!lines.some((line) => line.includes(password)), 'the log does not contain the password');

    const [first, second] = instances;
    const login = await fetch(`${first?.url}/v1/clients/web/admin/login`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ email: 'admin@localhost', password }),
    });
    assert.equal(login.status, 200);
    assert.ok(!existsSync(file), 'the file is deleted after the first sign-in');
    const { access_token: token } = (await login.json()) as { access_token: string };
    const authorization = `Bearer ${token}`;
    const users = () => fetch(`${second?.url}/v1/users`, { headers: { accept: json.accept, authorization } });
    assert.equal((await users()).status, 200);
    const out = await fetch(`${first?.url}/v1/logout`, {
      method: 'DELETE',
      headers: { accept: json.accept, authorization },
    });
    assert.equal(out.status, 200);
    assert.equal((await users()).status, 401, 'logged out on every instance immediately');
    for (const name of ['clients.json', ...(engine === 'sqlite' ? ['encryption.key', 'test.db'] : [])]) {
      assert.equal(statSync(join(dir, name)).mode & 0o777, 0o600, name);
    }
  });

  it('works with a database that a newer version has expanded, and refuses one that a newer version has contracted', async () => {
    const { dir, url: DATABASE_URL } = await create();
    const config = parseConfig({}, { DATABASE_URL, DATA_DIR: dir }, dir);
    const database = await openDatabase(config);
    await migrate(database);
    const note = (name: string) => database.db.insertInto('migrations').values({ name, applied_at: 1 }).execute();
    await note('998-from-the-future');
    const warnings: string[] = [];
    assert.deepEqual(await migrate(database, database.now, (line) => warnings.push(line)), []);
    assert.match(warnings.join(), /newer Gatehouse has migrated this database \(998-from-the-future\)/);
    await note('999-contract-from-the-future');
    await assert.rejects(migrate(database), /newer Gatehouse.*\(999-contract-from-the-future\)/);
    await database.close();
    const { code, stderr } = await gatehouse(['serve'], dir, { DATABASE_URL, DATA_DIR: dir, PORT: '0' });
    assert.equal(code, 1);
    assert.match(stderr, /^gatehouse: A newer Gatehouse has migrated this database/);
  });
});
