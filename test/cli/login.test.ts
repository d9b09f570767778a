import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { logIn } from '../../extensions/cli-login/login-commands.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { onBothEngines } from '../harness/engines.ts';
import { addApp } from '../harness/factors.ts';
import { type Person, password, registerUser } from '../harness/people.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('gatehouse login', (engine) => {
  const start = services(engine);
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-home-'));
  const file = join(home, 'gatehouse', 'credentials.json');
  const configHome = process.env.XDG_CONFIG_HOME;
  let service: Service;
  let ada: Person;
  before(async () => {
    service = await start();
    ada = await registerUser(service);
    process.env.XDG_CONFIG_HOME = home;
  });
  after(() => {
    if (configHome === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = configHome;
    rmSync(home, { recursive: true });
  });

  const run = (...args: string[]) => gatehouseHere(args, home, { XDG_CONFIG_HOME: home });
  const kept = () => JSON.parse(readFileSync(file, 'utf8')).services[service.url];

  /** Starts the command, and the user decides in the browser while it waits. */
  async function signIn(decision: string, scope = '*'): Promise<string> {
    const output: string[] = [];
    const decide = async (ms: number) => {
      service.advance(ms);
      const code = /[A-Z]{4}-[A-Z]{4}/.exec(output.join('\n'))?.[0] as string;
      const visitor = new Visitor(service);
      await visitor.signIn(ada.email, password);
      await visitor.get('/device');
      const { html } = await visitor.send('/device', { user_code: code });
      assert.match(html, /Connect <span[^>]*>Gatehouse command line<\/span>\?/);
      const ticked = Object.fromEntries([...html.matchAll(/name="(scope:[^"]+)"/g)].map(([, name]) => [name, 'on']));
      await visitor.send('/device/decision', { user_code: code, decision, ...ticked });
    };
    await logIn(service.url, scope, (line) => output.push(line), decide);
    return output.join('\n');
  }

  it('prints the URL, and stores the token in a file that only its owner can read', async () => {
    assert.equal((await run('token')).code, 1, 'no login is stored');
    const output = await signIn('allow');
    assert.match(output, new RegExp(`Open +${service.url}/device\nand type +[A-Z]{4}-[A-Z]{4}`));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(join(home, 'gatehouse')).mode & 0o777, 0o700);
    assert.doesNotMatch(output, new RegExp(kept().accessToken));
  });

  it('prints a valid token, and refreshes it before it expires', async () => {
    const token = async () => (await run('token')).stdout.trim();
    const first = await token();
    assert.equal(first, kept().accessToken);
    const me = await request<{ data: { id: string } }>(service, '/v1/users/me', { token: first });
    assert.deepEqual([me.status, me.body.data.id], [200, ada.id]);
    // The token is about to expire.
    const all = JSON.parse(readFileSync(file, 'utf8'));
    all.services[service.url].expiresAt = Date.now() + 30_000;
    writeFileSync(file, JSON.stringify(all));
    const second = await token();
    assert.notEqual(second, first);
    assert.equal((await request(service, '/v1/users/me', { token: second })).status, 200);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(await token(), second);
  });

  it('requires the second factor in the browser before the consent', async () => {
    const person = await registerUser(service);
    const { app } = await addApp(service, person);
    const output: string[] = [];
    const decide = async (ms: number) => {
      service.advance(ms);
      const user_code = /[A-Z]{4}-[A-Z]{4}/.exec(output.join('\n'))?.[0] as string;
      const visitor = new Visitor(service);
      const step = await visitor.signIn(person.email, password, '/device');
      const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(step.html)?.[1] ?? '';
      assert.match(String((await visitor.get('/device')).location), /^\/login/, 'the password alone is not enough');
      const form = { mfa_token: hidden('mfa_token'), methods: hidden('methods'), next: '/device' };
      assert.equal((await visitor.send('/login-step', { ...form, code: app.next() })).location, '/device');
      await visitor.get('/device');
      const { html } = await visitor.send('/device', { user_code });
      const ticked = Object.fromEntries([...html.matchAll(/name="(scope:[^"]+)"/g)].map(([, name]) => [name, 'on']));
      await visitor.send('/device/decision', { user_code, decision: 'allow', ...ticked });
    };
    await logIn(service.url, '*', (line) => output.push(line), decide);
    const me = await request<{ data: { id: string } }>(service, '/v1/users/me', { token: kept().accessToken });
    assert.equal(me.body.data.id, person.id);
  });

  it('logs out: the session ends, and the token is deleted', async () => {
    const token = (await run('token')).stdout.trim();
    const { code, stdout } = await run('logout');
    assert.deepEqual([code, stdout.trim()], [0, `Signed out of ${service.url}.`]);
    assert.equal((await request(service, '/v1/users/me', { token })).status, 401);
    assert.throws(() => statSync(file));
    const again = await run('logout');
    assert.deepEqual(
      [again.code, again.stderr.trim()],
      [1, 'gatehouse: You are not signed in. Sign in first: npx gatehouse-server login'],
    );
  });

  it('has the roles of an administrator only with --admin', async () => {
    const { db } = service.context.database;
    await db.updateTable('users').set({ roles: '["admin"]' }).where('id', '=', ada.id).execute();
    const seen = async (scope: string) => {
      await signIn('allow', scope);
      const token = (await run('token')).stdout.trim();
      return (await request<{ meta: { pagination: { total: number } } }>(service, '/v1/users', { token })).body.meta
        .pagination.total;
    };
    assert.equal(await seen('*'), 1);
    assert.ok((await seen('* admin')) > 1);
    await db.updateTable('users').set({ roles: '[]' }).where('id', '=', ada.id).execute();
  });

  it('can request fewer scopes, and can be refused', async () => {
    await signIn('allow', 'users:read');
    const token = (await run('token', '--url', `${service.url}/`)).stdout.trim();
    assert.equal((await request(service, '/v1/clients', { token })).status, 403);
    await assert.rejects(signIn('deny'), /denied in the browser/);
    assert.equal((await run('token')).stdout.trim(), token, 'the earlier login stays');
  });

  it('reports that the session was ended elsewhere', async () => {
    const all = JSON.parse(readFileSync(file, 'utf8'));
    all.services[service.url].expiresAt = 0;
    writeFileSync(file, JSON.stringify(all));
    const sessions = await request<{ data: { id: string; client_id: string }[] }>(service, '/v1/tokens?limit=100', {
      token: ada.token,
    });
    for (const { id, client_id } of sessions.body.data)
      if (client_id === 'gatehouse-cli')
        await request(service, `/v1/tokens/${id}`, { method: 'DELETE', token: ada.token });
    assert.match((await run('token')).stderr, /The login has ended/);
    assert.match((await run('token')).stderr, /not signed in/);
  });

  it('sends no token over plain HTTP to another machine, and reports an unreachable service', async () => {
    const refused = async (url: string) => (await run('login', '--url', url)).stderr;
    assert.match(await refused('http://auth.example.com'), /only over https/);
    assert.match(await refused('nonsense'), /--url takes/);
    assert.match(await refused('http://127.0.0.1:1'), /does not respond/);
  });
});
