import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { sealedMark } from '../../src/database/keys/sealed-columns.ts';
import { createSealing } from '../../src/database/keys/sealing.ts';
import { gatehouse } from '../harness/command.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { onBothEngines, type TestDatabase } from '../harness/engines.ts';
import { services } from '../harness/service.ts';

interface Finding {
  readonly part: string;
  readonly state: string;
  readonly summary: string;
}

async function examine(
  dir: string,
  env: Record<string, string>,
  run: typeof gatehouseHere = gatehouseHere,
): Promise<{ code: number | null; findings: Finding[] }> {
  const { code, stdout, stderr } = await run(['doctor', '--json'], dir, env);
  assert.match(stdout, /^\[/, stderr);
  return { code, findings: JSON.parse(stdout) };
}

const errorsIn = (findings: Finding[]) => findings.filter(({ state }) => state === 'error').map(({ part }) => part);

/** The hash of every file in a folder, except the lock of the write-ahead log, which every reader takes. */
const filesOf = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]);

/** Every table, column and row, except the instances, which renew their leases. */
async function contentOf({ engine, url }: TestDatabase): Promise<unknown> {
  if (engine === 'sqlite') return undefined;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: columns } = await client.query(
      "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2",
    );
    const tables = [...new Set(columns.map(({ table_name }) => table_name as string))].filter(
      (name) => name !== 'instances',
    );
    const rows = [];
    for (const table of tables) rows.push((await client.query(`select t::text from "${table}" as t order by 1`)).rows);
    return { columns, rows };
  } finally {
    await client.end();
  }
}

onBothEngines('doctor', (engine) => {
  const start = services(engine);

  it('changes nothing while the service runs', async () => {
    const { database } = await start();
    const before = [filesOf(database.dir), await contentOf(database)];
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    const { code, findings } = await examine(database.dir, env, gatehouse);
    assert.deepEqual([code, errorsIn(findings)], [0, []]);
    assert.ok(findings.some(({ part, state }) => part === 'keys' && state === 'ok'));
    assert.deepEqual([filesOf(database.dir), await contentOf(database)], before);
  });

  it('reports the encrypted values that the key cannot decrypt', async () => {
    const { database, context, queue } = await start();
    const { db } = context.database;
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    const encryption = async () => {
      const { findings } = await examine(database.dir, env);
      return findings.filter(({ part }) => part === 'encryption').map(({ state, summary }) => [state, summary]);
    };
    await queue.enqueue(db, { name: 'of nobody', data: 1, sealed: true });
    assert.deepEqual(await encryption(), [['ok', 'all encrypted values can be decrypted']]);
    const foreign = createSealing({ ...context.config, encryptionKey: 'the key of another service' });
    const data = sealedMark + foreign.seal(Buffer.from('1'), 'x');
    await db.updateTable('queued_jobs').set({ data }).where('name', '=', 'of nobody').execute();
    assert.deepEqual(await encryption(), [['notice', 'values in queued_jobs.data that cannot be decrypted: 1']]);
  });

  it('applies no migration', async () => {
    const service = await start();
    const { database, context } = service;
    await context.database.db.deleteFrom('migrations').where('name', '=', '001-first-tables').execute();
    const before = await contentOf(database);
    const { findings } = await examine(database.dir, { DATABASE_URL: database.url, DATA_DIR: database.dir });
    assert.ok(findings.some(({ part, summary }) => part === 'migrations' && /001-first-tables/.test(summary)));
    assert.deepEqual(await contentOf(database), before);
  });
});

describe('doctor on PostgreSQL', () => {
  const start = services('postgres');

  it('does not wait for a locked table', async () => {
    const { database } = await start();
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      await holder.query('begin; lock table users in access exclusive mode');
      const env = { DATABASE_URL: database.url, DATA_DIR: database.dir, READ_TIMEOUT: '1' };
      const { code, findings } = await examine(database.dir, env);
      assert.deepEqual([code, errorsIn(findings)], [1, ['database']]);
      assert.match(JSON.stringify(findings), /statement timeout/);
    } finally {
      await holder.end();
    }
  });
});

describe('doctor', () => {
  const start = services('sqlite');
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  const folder = () => {
    const dir = mkdtempSync(join(tmpdir(), 'gatehouse-doctor-'));
    folders.push(dir);
    return dir;
  };

  it('creates nothing in an empty folder', async () => {
    const dir = folder();
    const { findings } = await examine(dir, {});
    assert.ok(findings.some(({ part, state }) => part === 'database' && state === 'notice'));
    assert.deepEqual(readdirSync(dir), []);
  });

  it('reports an EVENTS_LOG that cannot be written to, and creates no file', async () => {
    const dir = folder();
    const examineEvents = async (target: string) =>
      (await examine(dir, { EVENTS_LOG: target })).findings
        .filter(({ part }) => part === 'events')
        .map(({ state, summary }) => `${state} ${summary}`);
    assert.deepEqual(await examineEvents(''), []);
    assert.deepEqual(await examineEvents('file:events.log'), ['ok EVENTS_LOG=file:events.log']);
    for (const [target, reason] of [
      ['file:logs/events.log', /^error .* is unavailable: .*ENOENT/],
      [`file:${dir}`, /^error .*EISDIR/],
      ['syslog://syslog.invalid', /^error .*(ENOTFOUND|EAI_AGAIN)/],
      ['syslog+tcp://127.0.0.1:1', /^error .*ECONNREFUSED/],
    ] as const) {
      assert.match((await examineEvents(target)).join(), reason);
    }
    assert.deepEqual(readdirSync(dir), []);
    symlinkSync(join(dir, 'missing', 'events.log'), join(dir, 'link'));
    assert.match((await examineEvents('file:link')).join(), /^error .*ENOENT/);
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    assert.match((await examineEvents('file:pipe')).join(), /^error .*ENXIO/);
    if (process.getuid?.() !== 0) return;
    writeFileSync(join(dir, 'events.log'), '', { mode: 0o600 });
    assert.match((await examineEvents('file:events.log')).join(), /^ok/);
    chownSync(dir, 12345, 12345);
    assert.match((await examineEvents('file:events.log')).join(), /^error .*belongs to root/);
  });

  it('creates no file beside the database of a stopped service', async () => {
    const dir = folder();
    assert.equal((await gatehouseHere(['keys', 'list'], dir, {})).code, 0);
    const before = filesOf(dir);
    const { findings } = await examine(dir, {});
    assert.ok(findings.some(({ part, state }) => part === 'keys' && state === 'ok'));
    assert.deepEqual(filesOf(dir), before);
    assert.deepEqual(readdirSync(join(dir, 'data')).sort(), ['encryption.key', 'gatehouse.db']);
  });

  it('reads the write-ahead log of a killed service, and does not change it', async () => {
    const { database } = await start();
    const dir = folder();
    for (const name of ['test.db', 'test.db-wal', 'encryption.key'])
      copyFileSync(join(database.dir, name), join(dir, name));
    const before = filesOf(dir);
    const env = { DATABASE_URL: `sqlite:${join(dir, 'test.db')}`, DATA_DIR: dir };
    const { findings } = await examine(dir, env, gatehouse);
    assert.ok(findings.some(({ part, state }) => part === 'administrator' && state === 'ok'));
    assert.deepEqual(filesOf(dir), before);
  });

  it('reports a local BASE_URL if the service listens on all addresses', async () => {
    const dir = folder();
    assert.deepEqual(errorsIn((await examine(dir, { HOST: '0.0.0.0' })).findings), ['address']);
    assert.deepEqual(errorsIn((await examine(dir, { HOST: '::' })).findings), ['address']);
    const container = await examine(dir, { HOST: '0.0.0.0', BASE_URL: 'http://localhost:3000' });
    assert.deepEqual(errorsIn(container.findings), []);
    assert.ok(container.findings.some(({ part, state }) => part === 'address' && state === 'notice'));
    const known = await examine(dir, { HOST: '0.0.0.0', BASE_URL: 'https://auth.example.com' });
    assert.ok(!known.findings.some(({ part }) => part === 'address'));
  });
});
