import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, it, mock } from 'node:test';
import { runCommand } from '../../src/cli/run-command.ts';
import { gatehouse, type Outcome, serverProcesses } from '../harness/command.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { databases, onBothEngines, type TestDatabase } from '../harness/engines.ts';

const json = { accept: 'application/json' };

onBothEngines('The command line', (engine) => {
  const create = databases(engine);
  const serve = serverProcesses();
  let database: TestDatabase;
  let env: Record<string, string>;
  beforeEach(async () => {
    database = await create();
    env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
  });
  const run = (...args: string[]) => gatehouseHere(args, database.dir, env);
  const checked = ({ code, stdout, stderr }: Pick<Outcome, 'code' | 'stdout' | 'stderr'>): string => {
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const response = async (...args: string[]) => checked(await run(...args));
  /** In a separate process, like the commands of an operator. */
  const responseBeside = async (...args: string[]) => checked(await gatehouse(args, database.dir, env));
  const list = async (...args: string[]) => JSON.parse(await response(...args, '--json')) as Record<string, unknown>[];

  it('shows the pending migrations, applies them, and then has nothing to do', async () => {
    assert.match(await response('migrate', '--plan'), /would apply 001-first-tables/);
    assert.match(await responseBeside('migrate', '--plan'), /would apply 001-first-tables/);
    assert.match(await responseBeside('migrate'), /applied 001-first-tables/);
    assert.match(await response('migrate'), /up to date/);
  });

  it('creates no client with an unknown scope', async () => {
    const refused = await run('client', 'create', 'Reports', '--scope', 'users:read cars:read');
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /there is no scope "cars:read"/);
    assert.deepEqual(await list('client', 'list'), []);
    const made = JSON.parse(await response('client', 'create', 'Reports', '--scope', 'users:read', '--json'));
    assert.deepEqual(made.scopes, ['users:read']);
  });

  it('creates clients that work, lists them, and replaces their secrets', async () => {
    const made = JSON.parse(await responseBeside('client', 'create', 'Reports', '--id', 'reports', '--json'));
    assert.equal(made.client_id, 'reports');
    assert.deepEqual(
      (await list('client', 'list')).map(({ client_id, type, name, scopes }) => ({ client_id, type, name, scopes })),
      [{ client_id: 'reports', type: 'personal', name: 'Reports', scopes: ['*'] }],
    );
    const { url, child } = await serve(database.dir, env);
    const token = async (secret: string) => {
      const form = { grant_type: 'client_credentials', client_id: 'reports', client_secret: secret };
      const body = new URLSearchParams(form);
      return (await fetch(`${url}/v1/oauth/token`, { method: 'POST', headers: json, body })).status;
    };
    assert.equal(await token(made.client_secret), 200);
    // The running server is notified of changes by the command line.
    const kept = JSON.parse(await responseBeside('client', 'secret', 'reports', '--keep-old', '1', '--json'));
    assert.deepEqual([await token(made.client_secret), await token(kept.client_secret)], [200, 200]);
    const last = JSON.parse(await responseBeside('client', 'secret', 'reports', '--json'));
    assert.deepEqual(
      [await token(made.client_secret), await token(kept.client_secret), await token(last.client_secret)],
      [401, 401, 200],
    );
    child.kill('SIGTERM');
  });

  it('shows the names of users and clients without control characters', async () => {
    const name = 'a\u001b[2J\u009b1A\nb\u202ec';
    await response('client', 'create', name, '--id', 'named');
    const [line, ...more] = (await response('client', 'list')).split('\n').filter((text) => text.startsWith('named'));
    assert.match(line as string, /a\\u\{1b\}\[2J\\u\{9b\}1A\\u\{a\}b\\u\{202e\}c +\*/);
    assert.deepEqual(more, []);
    assert.equal((await list('client', 'list')).find(({ client_id }) => client_id === 'named')?.name, name);
    assert.doesNotMatch(await response('events'), /[^\P{Cc}\n]|\u202e/u);
  });

  it('creates users, and reports invalid values', async () => {
    const made = JSON.parse(await response('user', 'create', '--email', 'Ada@Example.com', '--name', 'Ada', '--json'));
    assert.equal(made.email, 'Ada@example.com');
    assert.match(made.password, /^[\w-]{20}$/);
    const again = await run('user', 'create', '--email', 'ada@example.com', '--role', 'emperor');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /"emperor" is not a role/);
    const taken = await run('user', 'create', '--email', 'ada@example.com');
    assert.deepEqual([taken.code, /Another user has this email/.test(taken.stderr)], [1, true]);
  });

  it('lists users and changes their roles', async () => {
    await response('user', 'create', '--email', 'ada@example.com');
    await response('user', 'create', '--email', 'admin@localhost', '--role', 'admin');
    const user = (await list('user', 'list')).find(({ email }) => email === 'admin@localhost');
    assert.deepEqual([user?.email, user?.roles], ['admin@localhost', ['admin']]);
    const last = await run('user', 'role', 'ADMIN@localhost', '--', '-admin');
    assert.deepEqual([last.code, /the last administrator/.test(last.stderr)], [1, true]);
    assert.equal(await response('user', 'role', 'ada@example.com', 'admin'), 'admin\n');
    assert.equal((await list('user', 'list', '--role', 'admin')).length, 2);
    assert.equal(await response('user', 'role', user?.id as string, '--', '-admin'), '(no roles)\n');
    assert.equal(await response('user', 'role', user?.id as string, 'admin'), 'admin\n');
    assert.equal((await list('user', 'list', '--role', 'other')).length, 0);
    const unknown = await run('user', 'role', 'admin@localhost', 'emperor');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /"emperor" is not a role. Expected one of: admin/);
  });

  it('lists and rotates keys', async () => {
    await response('user', 'create', '--email', 'ada@example.com');
    const [first] = await list('keys', 'list');
    assert.equal(first?.state, 'signing');
    await responseBeside('keys', 'rotate');
    const states = (await list('keys', 'list')).map(({ signs, state }) => `${signs} ${state}`).sort();
    const each = ['access_token', 'id_token'].flatMap((signs) => [`${signs} published`, `${signs} signing`]);
    assert.deepEqual(states, each);
    await response('keys', 'rotate', '--compromised');
    const signing = (await list('keys', 'list')).filter(({ state }) => state === 'signing');
    assert.equal(signing.length, 2);
    assert.ok(signing.every(({ id }) => id !== first?.id));
  });

  it('reports no problem for a healthy service', async () => {
    await responseBeside('user', 'create', '--email', 'ada@example.com', '--role', 'admin');
    const findings = JSON.parse(await responseBeside('doctor', '--json')) as Record<string, unknown>[];
    assert.deepEqual(
      findings.filter(({ state }) => state === 'error'),
      [],
    );
    const parts = findings.map(({ part }) => part);
    for (const part of ['config', 'cookies', 'proxy', 'rights', 'database', 'migrations', 'clock', 'keys', 'mail']) {
      assert.ok(parts.includes(part), part);
    }
  });
});

/** Runs the command in this process. */
async function here(call: string): Promise<{ code: number; output: string }> {
  let output = '';
  const catchOutput = (text: string | Uint8Array) => {
    output += text;
    return true;
  };
  const caught = [process.stdout, process.stderr].map((stream) => mock.method(stream, 'write', catchOutput));
  try {
    const code = await runCommand(call.split(' '));
    return { code, output };
  } finally {
    for (const { mock: one } of caught) one.restore();
  }
}

describe('gatehouse', () => {
  const create = databases('sqlite');
  const serve = serverProcesses();
  let dir: string;
  before(async () => {
    dir = (await create()).dir;
  });

  it('has help with examples for every command', async () => {
    for (const group of ['', 'user ', 'client ', 'session ', 'keys '])
      assert.equal((await here(`${group}--help`)).code, 0);
    const commands = ['serve', 'migrate', 'user list', 'user role', 'client create', 'client list', 'client secret'];
    commands.push('user create', 'keys list', 'keys rotate', 'backup', 'restore', 'doctor', 'keys reset', 'user show');
    commands.push('user password', 'user disable', 'user enable', 'user delete', 'client show', 'client delete');
    commands.push('session list', 'session end');
    for (const command of commands) {
      const { code, output } = await here(`${command} --help`);
      assert.equal(code, 0);
      assert.match(output, new RegExp(`Examples:\n  gatehouse ${command}`), command);
    }
  });

  it('exits with 2 and the usage after a wrong call', async () => {
    const calls = ['nonsense', 'serve --prot 1', 'client create', 'client create x --type y', 'keys'];
    calls.push('client secret x --keep-old z', 'user show', 'user lst', 'user show a b', 'move', 'user create');
    calls.push('serve --port http', 'dev --port 70000', 'backup x --keep 2 --force', 'session end --keep-personal');
    calls.push(
      'client create x --id',
      'client create x --application --redirect-uri http://a.example',
      'import passport',
      'token --url nowhere',
    );
    for (const call of calls) {
      const { code, output } = await here(call);
      assert.equal(code, 2, call);
      assert.match(output, /^(gatehouse: .+\n)?Usage: gatehouse .*/m, call);
    }
    assert.match((await here('user lst')).output, /^gatehouse: unknown command 'lst' – did you mean list\?\nUsage: /);
    assert.equal((await gatehouse(['nonsense'], dir)).code, 2);
  });

  it('exits with 1 and one line if a setting is invalid', async () => {
    const { code, stderr } = await gatehouse(['serve'], dir, { PORT: 'http' });
    assert.equal(code, 1);
    assert.equal(
      stderr,
      'gatehouse: PORT: got "http"; expected a whole number from 0 to 65535. (the port to listen on. 0 picks a free port)\n',
    );
  });

  it('exits with 1 and one line if a file is in the way', async () => {
    const file = join(dir, 'in-the-way');
    writeFileSync(file, '');
    const { code, stderr } = await gatehouseHere(['init', file], dir, {});
    assert.equal(code, 1);
    assert.match(stderr, /^gatehouse: EEXIST: file already exists, mkdir '[^\n]*in-the-way'\.\n$/);
  });

  it('backs up a live database and restores it', async () => {
    const home = (await create()).dir;
    const { url, child } = await serve(home, { ADMIN_EMAIL: 'first@example.com' });
    const copy = join(home, 'copy.db');
    const backup = await gatehouse(['backup', copy], home);
    assert.equal(backup.code, 0, backup.stderr);
    assert.match(backup.stdout, /encryption\.key/);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    assert.ok(!existsSync(`${copy}-wal`));
    const again = await gatehouseHere(['backup', copy], home, {});
    assert.deepEqual([again.code, /--force/.test(again.stderr)], [1, true]);

    const form = { email: 'later@example.com', password: 'a long enough one' };
    const headers = { ...json, 'content-type': 'application/json' };
    const registered = await fetch(`${url}/v1/register`, { method: 'POST', headers, body: JSON.stringify(form) });
    assert.equal(registered.status, 201);
    const running = await gatehouse(['restore', copy, '--force'], home);
    assert.deepEqual([running.code, /Stop the service first/.test(running.stderr)], [1, true]);
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('close', resolve));

    const users = async () =>
      (JSON.parse((await gatehouseHere(['user', 'list', '--json'], home, {})).stdout) as { email: string }[]).map(
        ({ email }) => email,
      );
    assert.deepEqual(await users(), ['first@example.com', 'later@example.com']);
    assert.equal((await gatehouseHere(['restore', copy], home, {})).code, 1);
    const restored = await gatehouse(['restore', copy, '--force'], home);
    assert.equal(restored.code, 0, restored.stderr);
    assert.deepEqual(await users(), ['first@example.com']);
    assert.ok(existsSync(join(home, 'data', 'gatehouse.db.before-restore')));
  });

  it('refuses to restore a file that is not a complete Gatehouse database', async () => {
    const file = join(dir, 'nonsense.db');
    writeFileSync(file, 'nonsense'.repeat(1000));
    for (const source of [file, join(dir, 'absent.db')]) {
      const { code, stderr } = await gatehouseHere(['restore', source], dir, {});
      assert.equal(code, 1);
      assert.match(stderr, /not a complete Gatehouse database|There is no file/);
    }
    assert.ok(!existsSync(join(dir, 'data', 'gatehouse.db')));
  });

  it('names the tools for backups of PostgreSQL', async () => {
    const env = { DATABASE_URL: 'postgres://a:topsecret@127.0.0.1:1/x' };
    for (const [command, tool] of [
      ['backup', /pg_dump/],
      ['restore', /pg_restore/],
    ] as const) {
      const { code, stderr } = await gatehouseHere([command, 'x'], dir, env);
      assert.equal(code, 1);
      assert.match(stderr, tool);
    }
  });

  it('reports problems with their correction, and shows no secret', async () => {
    const env = {
      DATABASE_URL: 'postgres://someone:topsecret@127.0.0.1:1/x',
      SMTP_URL: 'smtp://someone:topsecret@127.0.0.1:1',
      BASE_URL: 'http://auth.example.com',
      TRUST_PROXY: 'true',
      HOST: '0.0.0.0',
    };
    const { code, stdout, stderr } = await gatehouseHere(['doctor', '--json'], dir, env);
    assert.equal(code, 1);
    const errors = (JSON.parse(stdout) as { part: string; state: string; fix: string }[]).filter(
      ({ state }) => state === 'error',
    );
    assert.deepEqual(
      errors.map(({ part }) => part),
      ['cookies', 'proxy', 'database', 'mail'],
    );
    assert.ok(errors.every(({ fix }) => fix.length > 10));
    assert.doesNotMatch(stdout + stderr, /topsecret/);
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.equal((await gatehouse(['--version'], dir)).stdout.trim(), version);
  });
});
