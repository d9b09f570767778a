import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { ended, gatehouse, startCommand } from '../harness/command.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

onBothEngines('gatehouse events', (engine) => {
  const start = services(engine);
  const signIn = ({ url }: Service, email: string, secret = password) =>
    request({ url }, '/v1/clients/web/admin/login', { form: { email, password: secret } });
  const envOf = ({ database }: Service) => ({ DATABASE_URL: database.url, DATA_DIR: database.dir });

  it('shows the newest events, filtered by type, user and time', async () => {
    const service = await start();
    const [ann, bob] = [await addLogin(service), await addLogin(service)];
    for (const { email } of [ann, ann, bob]) await signIn(service, email);
    await signIn(service, bob.email, 'a wrong password');
    const show = async (...options: string[]) => {
      const { code, stdout, stderr } = await gatehouseHere(
        ['events', ...options],
        service.database.dir,
        envOf(service),
      );
      assert.equal(code, 0, stderr);
      return stdout.split('\n').filter(Boolean);
    };
    const events = (await show('--json', '--type', 'login.*')).map((line) => JSON.parse(line));
    assert.deepEqual(
      events.map(({ type, user_id }) => [type, user_id]),
      [
        ['login.succeeded', ann.id],
        ['login.succeeded', ann.id],
        ['login.succeeded', bob.id],
        ['login.failed', bob.id],
      ],
    );
    const failed = await show('--type', 'login.failed', '--user', bob.email, '--since', '1h');
    assert.equal(failed.length, 1);
    assert.match(failed[0] as string, new RegExp(`login\\.failed  user=${bob.id}`));
    assert.equal((await show('--type', 'login.*', '--limit', '2')).length, 2);
    assert.deepEqual(await show('--since', '2099-01-01'), []);
    const wrong = await gatehouse(['events', '--since', 'yesterday'], service.database.dir, envOf(service));
    assert.deepEqual([wrong.code, /15m, 2h or 7d/.test(wrong.stderr)], [2, true]);
  });

  it('follows new events as JSON lines until it is interrupted', async () => {
    const service = await start();
    const { email, id } = await addLogin(service);
    await signIn(service, email);
    const args = ['events', '--follow', '--json', '--type', 'login.*'];
    const child = startCommand(args, service.database.dir, envOf(service));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value as string);
    assert.equal((await next()).user_id, id, 'an event from before the command');
    await signIn(service, email, 'a wrong password');
    assert.equal((await next()).type, 'login.failed');
    await signIn(service, email);
    assert.equal((await next()).type, 'login.succeeded');
    child.kill('SIGINT');
    assert.deepEqual(await ended(child), [0, null]);
  });

  it('includes the events of commands in EVENTS_LOG, and those of a service until its stop', async () => {
    const service = await start();
    const path = join(service.database.dir, 'events.log');
    const env = { EVENTS_LOG: `file:${path}` };
    const other = await start({ env, database: service.database });
    const { email } = await addLogin(other);
    await signIn(other, email);
    await other.close();
    await gatehouseHere(['user', 'role', email, 'admin'], service.database.dir, { ...envOf(service), ...env });
    const types = readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).type);
    assert.deepEqual(types, ['settings.changed', 'login.succeeded', 'user.roles_changed']);
  });
});
