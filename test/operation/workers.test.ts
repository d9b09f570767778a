import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ended, gatehouse, type ServerProcess, serverProcesses } from '../harness/command.ts';
import { type Connection, connections } from '../harness/connections.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { holdBack } from '../harness/raw-http.ts';

const password = 'correct horse battery';
const admin = { email: 'admin@example.com', password };

onBothEngines('Two workers', (engine) => {
  const create = databases(engine);
  const serve = serverProcesses();
  const open = connections();
  let dir: string;
  let env: Record<string, string>;
  let service: ServerProcess;
  before(async () => {
    const database = await create();
    dir = database.dir;
    env = { DATABASE_URL: database.url, WORKERS: '2', LOG_LEVEL: 'debug', ADMIN_EMAIL: admin.email };
    service = await serve(dir, { ...env, ADMIN_PASSWORD: password });
  });

  const parsed: Record<string, unknown>[] = [];
  const entries = (): Record<string, unknown>[] => {
    for (const line of service.lines.slice(parsed.length)) parsed.push(JSON.parse(line));
    return parsed;
  };
  const saying = (msg: string) => entries().filter((entry) => entry.msg === msg);
  const pids = () => new Map(saying('a worker serves').map(({ worker, pid }) => [worker, pid as number]));
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  /** Connections to both workers, each with the number of its worker. */
  const connectToBoth = async (): Promise<Map<unknown, Connection>> => {
    const found = new Map<unknown, Connection>();
    for (const [n, request] of open(service.url, 100).entries()) {
      const requestId = `who-${n}-${Math.random()}`;
      await request('/v1/users', { headers: { 'x-request-id': requestId } });
      await until(() => entries().some((entry) => entry.requestId === requestId));
      found.set(entries().find((entry) => entry.requestId === requestId)?.worker, request);
      if (found.size === 2) break;
    }
    assert.equal(found.size, 2, 'both workers respond');
    return found;
  };
  const both = async () => [...(await connectToBoth()).values()] as [Connection, Connection];
  const logIn = async (request: Connection) =>
    (await request('/v1/clients/web/admin/login', { json: admin })).body as {
      access_token: string;
      refresh_token: string;
    };

  it('start as one service: one message, one administrator, one migration', async () => {
    await until(() => saying('created the first administrator').length > 0);
    assert.equal(saying('listening').length, 1);
    assert.equal(saying('created the first administrator').length, 1);
    const migrated = saying('migrated the database').map(({ migration }) => migration);
    assert.ok(migrated.length > 0 && new Set(migrated).size === migrated.length);
    assert.equal(pids().size, 2);
  });

  it('apply logins, logouts and role changes of each other immediately', async () => {
    const [one, other] = await both();
    for (let round = 0; round < 5; round++) {
      const [here, there] = round % 2 ? [one, other] : [other, one];
      const { access_token: token, refresh_token } = await logIn(here);
      assert.equal((await there('/v1/users/me', { token })).status, 200);
      assert.equal((await here('/v1/users/me', { token })).status, 200);
      const refreshed = await there('/v1/clients/web/admin/refresh', { json: { refresh_token } });
      assert.equal(refreshed.status, 200);
      assert.equal((await there('/v1/logout', { method: 'DELETE', token })).status, 200);
      assert.equal((await here('/v1/users/me', { token })).body.code, 'token_revoked');
    }
    const { access_token: token } = await logIn(one);
    const json = {
      email: `eve-${engine}@example.com`,
      password: 'another good password',
      name: 'Eve',
      roles: ['admin'],
    };
    const eve = await one('/v1/users', { token, json });
    assert.equal(eve.status, 201, eve.text);
    const login = await other('/v1/clients/web/admin/login', { json: { email: json.email, password: json.password } });
    const theirs = String(login.body.access_token);
    assert.equal((await one('/v1/events', { token: theirs })).status, 200);
    const { id } = eve.body.data as { id: string };
    await other(`/v1/users/${id}`, { method: 'PATCH', token, json: { roles: [] } });
    assert.equal((await one('/v1/events', { token: theirs })).status, 403);
    await other(`/v1/users/${id}`, { method: 'PATCH', token, json: { disabled: true } });
    assert.equal((await one('/v1/users/me', { token: theirs })).status, 401);
  });

  it('apply the changes of a command', async () => {
    const [one, other] = await both();
    const { access_token: token } = await logIn(one);
    for (const request of [one, other]) assert.equal((await request('/v1/users/me', { token })).status, 200);
    await gatehouse(['session', 'end', '--user', admin.email], dir, { DATABASE_URL: env.DATABASE_URL as string });
    for (const request of [one, other])
      assert.equal((await request('/v1/users/me', { token })).body.code, 'token_revoked');
  });

  it('show the same total metrics', async () => {
    const [one, other] = await both();
    const logins = async (request: Connection) =>
      Number(/gatehouse_logins_total\{result="accepted"\} (\d+)/.exec((await request('/metrics')).text)?.[1]);
    const before = await logins(one);
    await logIn(one);
    await logIn(other);
    assert.ok(before > 0);
    assert.deepEqual([await logins(one), await logins(other)], [before + 2, before + 2]);
    for (const request of [one, other]) assert.equal((await request('/health/ready')).status, 200);
    const { text } = await other('/metrics');
    assert.match(text, /^gatehouse_workers 2$/m);
    assert.match(text, /^gatehouse_workers_configured 2$/m);
    assert.match(text, /^gatehouse_ready\{part="database"\} 1$/m);
    assert.match(text, /^gatehouse_http_request_duration_seconds_count\{.*\} [1-9]/m);
    const names = text.split('\n').filter((line) => line.startsWith('# TYPE'));
    assert.equal(new Set(names).size, names.length);
  });

  it('sum their metrics once for concurrent requests', async () => {
    const responses = await Promise.all(open(service.url, 40).map((request) => request('/metrics')));
    assert.ok(responses.every(({ status }) => status === 200));
    // Node warns if many sums wait for one worker.
    assert.deepEqual(
      service.lines.filter((line) => !line.startsWith('{')),
      [],
    );
  });

  it('lose no acknowledged write when one is killed, and continue', async () => {
    const made = await gatehouse(['client', 'create', 'Robot', '--json'], dir, {
      DATABASE_URL: env.DATABASE_URL as string,
    });
    const { client_id, client_secret } = JSON.parse(made.stdout) as Record<string, string>;
    const form = { client_id, client_secret } as Record<string, string>;
    const victim = [...pids().values()].at(-1) as number;
    const acknowledged: string[] = [];
    const failed: unknown[] = [];
    let isKilled = false;
    await Promise.all(
      open(service.url, 8).map(async (request) => {
        for (let n = 0; n < 25; n++) {
          try {
            const response = await request('/v1/oauth/token', { form: { ...form, grant_type: 'client_credentials' } });
            assert.equal(response.status, 200, response.text);
            acknowledged.push(String(response.body.refresh_token));
          } catch (error) {
            failed.push(error);
          }
          // Once, because a failed request does not change the count.
          if (acknowledged.length === 60 && !isKilled) {
            isKilled = true;
            process.kill(victim, 'SIGKILL');
          }
        }
      }),
    );
    assert.ok(failed.length <= 8, `only requests in progress fail, and not ${failed.join(', ')}`);
    await until(() => pids().size === 3);
    const [one, other] = await both();
    for (const [n, refresh_token] of acknowledged.entries()) {
      const request = n % 2 ? one : other;
      const { status } = await request('/v1/oauth/token', {
        form: { ...form, grant_type: 'refresh_token', refresh_token },
      });
      assert.equal(status, 200);
    }
    assert.equal(saying('a worker ended; the supervisor starts another one').length, 1);
  });

  it('close connections that a killed worker has not accepted', async () => {
    const before = pids();
    const victim = [...before.values()].at(-1) as number;
    process.kill(victim, 'SIGSTOP');
    const pending = open(service.url, 8).map((request) => request('/health'));
    // The other worker has answered, so the primary has offered a connection to the stopped one.
    await Promise.any(pending);
    process.kill(victim, 'SIGKILL');
    const results = await Promise.allSettled(pending);
    assert.deepEqual(
      results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : [])),
      ['ECONNRESET'],
    );
    await until(() => pids().size > before.size);
  });

  it('finish running requests when they are stopped, and exit together', async () => {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const login = { method: 'POST', path: '/v1/clients/web/admin/login', headers, body: JSON.stringify(admin) };
    const held = await Promise.all(Array.from({ length: 6 }, () => holdBack(service.url, login)));
    service.child.kill('SIGTERM');
    await until(() => saying('stopping').length > 0);
    for (const request of held) assert.equal((await request.finish()).status, 200);
    assert.deepEqual(await ended(service.child), [0, null]);
    assert.equal(saying('stopped').length, 1);
    for (const pid of pids().values()) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  });
});
