import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { gatehouseHere } from '../harness/command-here.ts';
import { databases, onBothEngines, type TestDatabase } from '../harness/engines.ts';
import { type Service, services } from '../harness/service.ts';

const json = { accept: 'application/json', 'content-type': 'application/json' };

onBothEngines('Account commands', (engine) => {
  const create = databases(engine);
  const start = services(engine);
  let database: TestDatabase;
  let env: Record<string, string>;
  let server: Service;
  before(async () => {
    database = await create();
    env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    if (engine === 'postgres') env.ENCRYPTION_KEY = 'a key of thirty-two characters!!';
    server = await start({ database, env });
  });
  const run = (...args: string[]) => gatehouseHere(args, database.dir, env);
  async function response(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, stderr);
    return stdout;
  }
  const parsed = async (...args: string[]) => JSON.parse(await response(...args, '--json'));
  const logIn = async (email: string, password: string) => {
    const body = JSON.stringify({ email, password });
    return fetch(`${server.url}/v1/clients/web/admin/login`, { method: 'POST', headers: json, body });
  };
  const register = async (email: string, password: string): Promise<string> => {
    const body = JSON.stringify({ email, password });
    const made = await fetch(`${server.url}/v1/register`, { method: 'POST', headers: json, body });
    assert.equal(made.status, 201);
    const tokens = (await (await logIn(email, password)).json()) as { access_token: string };
    return tokens.access_token;
  };
  const isIn = async (token: string) => {
    const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/v1/users/me`, { headers })).status === 200;
  };

  it("show a user and set a password, which ends the user's sessions", async () => {
    const token = await register('ada@example.com', 'lovelace-1815');
    const shown = await parsed('user', 'show', 'ada@example.com');
    assert.deepEqual(
      [shown.email, shown.sessions, shown.personal_tokens, shown.disabled],
      ['ada@example.com', 1, 1, false],
    );
    assert.match(await response('user', 'show', shown.id), /^email +ada@example.com$/m);
    const output = await response('user', 'password', 'ada@example.com');
    const password = /^password {2}([\w-]+) /.exec(output)?.[1] as string;
    assert.equal(await isIn(token), false);
    assert.equal((await logIn('ada@example.com', 'lovelace-1815')).status, 400);
    assert.equal((await logIn('ada@example.com', password)).status, 200);
    const weak = await run('user', 'password', 'nobody@example.com');
    assert.deepEqual([weak.code, /There is no user/.test(weak.stderr)], [1, true]);
  });

  it('disable and enable a user', async () => {
    const token = await register('bob@example.com', 'a long enough one');
    await response('user', 'disable', 'bob@example.com');
    assert.equal(await isIn(token), false);
    assert.equal((await logIn('bob@example.com', 'a long enough one')).status, 400);
    await response('user', 'enable', 'bob@example.com');
    assert.equal((await logIn('bob@example.com', 'a long enough one')).status, 200);
    const last = await run('user', 'disable', 'admin@example.com');
    assert.deepEqual([last.code, /the last administrator/.test(last.stderr)], [1, true]);
  });

  it('list sessions, and end one or all of a user', async () => {
    const first = await register('eve@example.com', 'a long enough one');
    const second = (await (await logIn('eve@example.com', 'a long enough one')).json()) as { access_token: string };
    const rows = (await parsed('session', 'list', '--user', 'eve@example.com')) as { id: string; type: string }[];
    const sessions = rows.filter(({ type }) => type === 'session');
    assert.equal(sessions.length, 2);
    assert.equal(await response('session', 'end', sessions[1]?.id as string), '1 ended.\n');
    assert.deepEqual([await isIn(first), await isIn(second.access_token)], [false, true]);
    assert.equal(await response('session', 'end', '--user', 'eve@example.com'), '2 ended.\n');
    assert.equal(await isIn(second.access_token), false);
    const again = await run('session', 'end', sessions[1]?.id as string);
    assert.equal(again.code, 1, 'the session has already ended');
    assert.match(again.stderr, /List them with: npx gatehouse-server session list/);
    const nobody = await run('session', 'end');
    assert.deepEqual(
      [nobody.code, /Name the sessions[^\n]*\nUsage: gatehouse session end /.test(nobody.stderr)],
      [2, true],
    );
  });

  it('delete a user or a client, but none from the settings', async () => {
    const token = await register('gone@example.com', 'a long enough one');
    await response('user', 'delete', 'gone@example.com');
    assert.equal(await isIn(token), false);
    assert.equal((await run('user', 'show', 'gone@example.com')).code, 1);
    const { client_id } = await parsed('client', 'create', 'Reports');
    const shown = await parsed('client', 'show', client_id);
    assert.deepEqual([shown.name, shown.secrets, shown.sessions], ['Reports', ['works'], 0]);
    await response('client', 'delete', client_id);
    assert.equal((await run('client', 'show', client_id)).code, 1);
    const needed = await run('client', 'delete', 'web-admin');
    assert.deepEqual([needed.code, /login proxy in the settings/.test(needed.stderr)], [1, true]);
  });

  it('exit with 1 if an import refused every user', async () => {
    const file = join(database.dir, 'users.csv');
    writeFileSync(file, 'email,password_hash\nnot an address,nonsense\n');
    const refused = await run('user', 'import', file);
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, /0 imported, 0 already present, 1 refused/);
    const hash = '$2a$04$abcdefghijklmnopqrstuuNSXqkVD/kQUEUo4eCPQ3C2O2U0M2oUa';
    writeFileSync(file, `email,password_hash\nnot an address,nonsense\nnew@example.com,${hash}\n`);
    assert.equal((await run('user', 'import', file)).code, 0, 'some users were imported');
  });

  it('create new keys if their secret is lost, and keep users and passwords', async () => {
    const token = await register('kept@example.com', 'a long enough one');
    const early = await run('keys', 'reset', '--force');
    assert.deepEqual([early.code, /nothing is lost/.test(early.stderr)], [1, true]);
    await server.close();
    if (engine === 'postgres') env.ENCRYPTION_KEY = 'another key of thirty-six characters';
    else rmSync(join(database.dir, 'encryption.key'));

    const asked = await run('keys', 'reset');
    assert.equal(asked.code, 1);
    assert.match(asked.stderr, /ends\n {2}every session[\s\S]*does not change people's passwords/);
    await assert.rejects(start({ database, env }), /cannot be opened[\s\S]*npx gatehouse-server keys reset/);

    assert.match(await response('keys', 'reset', '--force'), /sessions: all access tokens/);
    server = await start({ database, env });
    assert.equal(await isIn(token), false);
    assert.equal((await logIn('kept@example.com', 'a long enough one')).status, 200);
  });
});
