import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { backUpEvery } from '../../extensions/backup/backup-series.ts';
import { unfinishedMoveMarker } from '../../src/database/migrate.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { mailedLink } from '../harness/mailed-link.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

interface Holder {
  readonly email: string;
  readonly access: string;
  readonly refresh: string;
  readonly personal: string;
}

/** A user with every kind of credential and token. */
async function signIn(service: Service): Promise<Holder> {
  const { email } = await addLogin(service);
  const { body } = await request<Record<'access_token' | 'refresh_token', string>>(
    service,
    '/v1/clients/web/admin/login',
    {
      json: { email, password },
    },
  );
  const personal = await request<{ data: { access_token: string } }>(service, '/v1/tokens', {
    token: body.access_token,
    json: { name: 'mine', scopes: ['*'] },
  });
  return {
    email,
    access: body.access_token,
    refresh: body.refresh_token,
    personal: personal.body.data.access_token,
  };
}

const me = async (service: Service, token: string) => (await request(service, '/v1/users/me', { token })).status;
const refresh = async (service: Service, refresh_token: string) =>
  (await request(service, '/v1/clients/web/admin/refresh', { form: { refresh_token } })).status;

describe('A backup', () => {
  const start = services('sqlite');

  it('never replaces the database itself, also through a link', async () => {
    const { database } = await start();
    const file = database.url.slice('sqlite:'.length);
    const [symbolic, hard] = [join(database.dir, 'symbolic.db'), join(database.dir, 'hard.db.part')];
    symlinkSync(file, symbolic);
    linkSync(file, hard);
    const { ino } = statSync(file);
    for (const [source, target] of [
      [file, file],
      [file, symbolic],
      [file, hard],
      [file, join(database.dir, 'hard.db')],
      [symbolic, file],
    ]) {
      const env = { DATABASE_URL: `sqlite:${source}`, DATA_DIR: database.dir };
      const { code, stderr } = await gatehouseHere(['backup', String(target), '--force'], database.dir, env);
      assert.equal(code, 1);
      assert.match(stderr, /is the database itself\. Choose another name\./);
    }
    assert.equal(statSync(file).ino, ino);
  });
});

describe('A folder of backups', () => {
  const start = services('sqlite');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-copies-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('contains the newest backups with sortable names, and no incomplete ones', async () => {
    const { database } = await start();
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    const left = 'gatehouse-2026-01-01T00-00-00.000Z.db.part';
    for (const name of [left, 'notes.txt']) writeFileSync(join(folder, name), 'of an earlier day');
    utimesSync(join(folder, left), 0, 0);
    const made: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { code, stdout, stderr } = await gatehouseHere(['backup', folder, '--keep', '2'], database.dir, env);
      assert.equal(code, 0, stderr);
      made.push(/gatehouse-\d\S+\.db/.exec(stdout)?.[0] as string);
    }
    assert.deepEqual(readdirSync(folder).sort(), [...made.slice(1), 'notes.txt']);
    for (const wrong of ['--keep 0', '--every 1w', '--keep 2 --force']) {
      const { code } = await gatehouseHere(['backup', folder, ...wrong.split(' ')], database.dir, env);
      assert.equal(code, 2, wrong);
    }
  });

  it('continues to grow after a failed backup, until it is stopped', async () => {
    const stop = new AbortController();
    const failures: unknown[] = [];
    let made = 0;
    const make = async () => {
      made++;
      if (made === 2) throw new Error('the disk is full');
      if (made === 4) stop.abort();
    };
    await backUpEvery({
      intervalMs: 1,
      makeCopy: make,
      onFailure: (error) => failures.push(error),
      signal: stop.signal,
    });
    assert.deepEqual([made, failures.map(String)], [4, ['Error: the disk is full']]);
    const first = backUpEvery({
      intervalMs: 1,
      makeCopy: async () => Promise.reject(failures[0]),
      onFailure: () => assert.fail(),
      signal: stop.signal,
    });
    await assert.rejects(first, /the disk is full/);
  });

  it('waits longer than a timer of Node can run', async () => {
    const stop = new AbortController();
    const warnings: string[] = [];
    const warned = ({ name }: Error) => void warnings.push(name);
    process.on('warning', warned);
    const make = async () => undefined;
    const series = backUpEvery({
      intervalMs: 30 * 86_400_000,
      makeCopy: make,
      onFailure: () => assert.fail(),
      signal: stop.signal,
    });
    await setImmediate();
    stop.abort();
    await series;
    process.off('warning', warned);
    assert.deepEqual(warnings, []);
  });
});

describe('A SQLite database that is restored from a backup', () => {
  const start = services('sqlite');
  const create = databases('sqlite');

  it('signs nobody in with its sessions if they were ended', async () => {
    const database = await create();
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    const run = (...args: string[]) => gatehouseHere(args, database.dir, env);
    const first = await start({ database });
    const holder = await signIn(first);
    await request(first, '/v1/password/resets', { json: { email: holder.email } });
    const link = (await mailedLink(first, 'reset-password', holder.email)).replace('/reset/', '/resets/');
    const copy = join(database.dir, 'copy.db');
    assert.equal((await run('backup', copy)).code, 0);
    // Sessions that ended after the backup would become valid again.
    await request(first, '/v1/logout', { method: 'DELETE', token: holder.access });
    await first.close();

    const restored = await run('restore', copy, '--force', '--end-sessions');
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /\d sessions and personal access tokens and 1 emailed links ended/);
    const second = await start({ database });
    assert.deepEqual([await me(second, holder.access), await me(second, holder.personal)], [401, 401]);
    assert.equal(await refresh(second, holder.refresh), 400);
    assert.notEqual((await request(second, `/v1${link}`, { json: { password: 'another long one' } })).status, 200);
    const again = await request(second, '/v1/clients/web/admin/login', { json: { email: holder.email, password } });
    assert.equal(again.status, 200);
    await second.close();
    assert.equal((await run('restore', copy, '--force')).code, 0);
    const third = await start({ database });
    assert.equal(await me(third, holder.access), 200, 'otherwise the sessions of the backup stay valid');
  });

  it('stays complete after an interrupted restore, and every replaced database is kept', async () => {
    const database = await create();
    const file = database.url.slice('sqlite:'.length);
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    const run = (...args: string[]) => gatehouseHere(args, database.dir, env);
    await (await start({ database })).close();
    const copy = join(database.dir, 'copy.db');
    assert.equal((await run('backup', copy)).code, 0);
    const names: string[] = [];
    const write = (path: string, name: string) => {
      const open = new DatabaseSync(path);
      open.exec(
        `create table if not exists marks (name text); delete from marks; insert into marks values ('${name}')`,
      );
      open.close();
    };
    const marksIn = (path: string) => {
      const open = new DatabaseSync(path, { readOnly: true });
      const table = open.prepare("select 1 from sqlite_master where name = 'marks'").get();
      const marks = table ? open.prepare('select name from marks').all() : [];
      open.close();
      return marks.map(({ name }) => name);
    };
    // The write-ahead log of an interrupted restore.
    const other = join(database.dir, 'other.db');
    copyFileSync(copy, other);
    const writer = new DatabaseSync(other);
    writer.exec("pragma journal_mode = wal; create table marks (name text); insert into marks values ('interrupted')");
    copyFileSync(`${other}-wal`, `${file}.part-wal`);
    writer.close();
    for (const name of ['first', 'second', 'third']) {
      write(file, name);
      const { code, stdout, stderr } = await run('restore', copy, '--force');
      assert.equal(code, 0, stderr);
      assert.deepEqual(marksIn(file), []);
      names.push(/previous database is in (\S+)\.\n/.exec(stdout)?.[1] ?? '');
    }
    assert.deepEqual(
      names,
      ['', '-2', '-3'].map((end) => `${file}.before-restore${end}`),
    );
    assert.deepEqual(names.flatMap(marksIn), ['first', 'second', 'third']);
    assert.equal((await run('restore', names[0] ?? '', '--force')).code, 0, 'a kept database can be restored');
    assert.deepEqual(marksIn(file), ['first']);
  });

  it('can come from a newer version, if a start of this version accepts the database', async () => {
    const database = await create();
    const file = database.url.slice('sqlite:'.length);
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    const run = (...args: string[]) => gatehouseHere(args, database.dir, env);
    await (await start({ database })).close();
    const outcomes: [code: number | null, refusal: boolean][] = [];
    for (const migration of ['990-later', '991-contract-later', unfinishedMoveMarker]) {
      const open = new DatabaseSync(file);
      open.prepare('insert into migrations (name, applied_at) values (?, 0)').run(migration);
      open.close();
      const copy = join(database.dir, `${migration}.db`);
      const made = await run('backup', copy);
      assert.equal(made.code, 0, made.stderr);
      const { code, stderr } = await run('restore', copy, '--force');
      outcomes.push([code, /removed something that this version needs|A move .* is not finished/.test(stderr)]);
    }
    assert.deepEqual(outcomes, [
      [0, false],
      [1, true],
      [1, true],
    ]);
  });

  it('is not replaced by a damaged copy', async () => {
    const database = await create();
    const file = database.url.slice('sqlite:'.length);
    await (await start({ database })).close();
    const draft = `${file}.part`;
    writeFileSync(draft, 'a draft of an interrupted restore');
    const run = (path: string) =>
      gatehouseHere(['restore', path, '--force'], database.dir, { DATABASE_URL: database.url, DATA_DIR: database.dir });
    assert.match((await run(draft)).stderr, /A restore overwrites .*\.part\. Give the backup another name\./);
    const damaged = join(database.dir, 'damaged.db');
    writeFileSync(damaged, 'nonsense'.repeat(1000));
    const { code, stderr } = await run(damaged);
    assert.equal(code, 1);
    assert.match(stderr, /damaged\.db is not a complete Gatehouse database/);
    assert.ok(existsSync(file));
    assert.ok(!existsSync(draft));
  });
});

onBothEngines('Ending all sessions at once', (engine) => {
  const start = services(engine);

  it('takes effect on a running service before the command returns, with personal access tokens as requested', async () => {
    const service = await start();
    const { database } = service;
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    const run = (...args: string[]) => gatehouseHere(['session', 'end', ...args], database.dir, env);
    const holder = await signIn(service);
    assert.deepEqual([await me(service, holder.access), await me(service, holder.personal)], [200, 200]);
    assert.match((await run('--all', '--keep-personal')).stdout, /^\d+ ended/);
    assert.deepEqual([await me(service, holder.access), await me(service, holder.personal)], [401, 200]);
    assert.equal(await refresh(service, holder.refresh), 400);
    assert.equal((await run('--all')).code, 0);
    assert.equal(await me(service, holder.personal), 401);
    assert.equal((await run('--all', '--user', holder.email)).code, 2);
    const { db } = service.context.database;
    const events = await db.selectFrom('events').select('data').where('type', '=', 'sessions.ended').execute();
    assert.equal(events.length, 2);
  });
});
