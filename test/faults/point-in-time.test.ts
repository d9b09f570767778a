import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import pg from 'pg';
import { addLogin, password } from '../harness/accounts.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import type { TestDatabase } from '../harness/engines.ts';
import { createPostgres, createRecovered, type PostgresServer } from '../harness/postgres-server.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const start = services('postgres');
const dir = mkdtempSync(join(tmpdir(), 'gatehouse-archive-'));
// PostgreSQL runs as another user.
chmodSync(dir, 0o777);
after(() => rmSync(dir, { recursive: true, force: true }));

const databaseOf = ({ url }: PostgresServer): TestDatabase => ({
  engine: 'postgres',
  url,
  dir,
  remove: async () => undefined,
});

async function connectTo({ url }: PostgresServer): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/**
 * Makes a base backup like pg_basebackup, with the server's functions: the data during writes, and the start of the
 * log.
 */
async function backUp(server: PostgresServer, to: string): Promise<void> {
  const client = await connectTo(server);
  try {
    await client.query(`select pg_backup_start('nightly', true)`);
    cpSync(server.data, to, {
      recursive: true,
      filter: (path) => !/postmaster\.(pid|opts)$|\/\.s\.PGSQL|\/pg_wal\/[0-9A-F]{24}/.test(path),
    });
    const { rows } = await client.query('select labelfile from pg_backup_stop()');
    writeFileSync(join(to, 'backup_label'), rows[0].labelfile);
  } finally {
    await client.end();
  }
}

async function waitFor(client: pg.Client, statement: string): Promise<void> {
  while (!(await client.query(statement)).rows[0].done) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function signIn(service: Service): Promise<{ email: string; access: string; refresh: string }> {
  const { email } = await addLogin(service);
  const { body } = await request<Record<'access_token' | 'refresh_token', string>>(
    service,
    '/v1/clients/web/admin/login',
    {
      json: { email, password },
    },
  );
  return { email, access: body.access_token, refresh: body.refresh_token };
}
const me = async (service: Service, token: string) => (await request(service, '/v1/users/me', { token })).status;
const refresh = (service: Service, refresh_token: string) =>
  request<{ refresh_token: string }>(service, '/v1/clients/web/admin/refresh', { form: { refresh_token } });

it('A PostgreSQL after point-in-time recovery has the data of that time, and accepts no token after all sessions were ended', async (t) => {
  const archive = join(dir, 'log');
  const archiving = ['-c', 'wal_level=replica', '-c', 'archive_mode=on'];
  const command = `mkdir -p ${archive} && test ! -f ${archive}/%f && cp %p ${archive}/%f`;
  const server = await createPostgres([...archiving, '-c', `archive_command=${command}`]);
  after(() => server.remove());
  const service = await start({ database: databaseOf(server) });
  const [quiet, busy, left] = [await signIn(service), await signIn(service), await signIn(service)];
  await backUp(server, join(dir, 'base'));
  const kept = await addLogin(service);
  await service.verifier.flush();
  const client = await connectTo(server);
  const moment = (await client.query('select clock_timestamp()::text as now')).rows[0].now as string;

  // The recovery undoes all of this.
  const newer = (await refresh(service, busy.refresh)).body.refresh_token;
  await request(service, '/v1/logout', { method: 'DELETE', token: left.access });
  const lost = await addLogin(service);
  await service.close();
  const { rows } = await client.query('select pg_walfile_name(pg_switch_wal()) as name');
  await waitFor(client, `select last_archived_wal >= '${rows[0].name}' as done from pg_stat_archiver`);
  await client.end();
  await server.stop();

  const recovering = ['-c', `restore_command=cp ${archive}/%f %p`, '-c', `recovery_target_time=${moment}`];
  const began = performance.now();
  const recovered = await createRecovered(server, join(dir, 'base'), [
    ...recovering,
    '-c',
    'recovery_target_action=promote',
  ]);
  after(() => recovered.stop());
  const look = await connectTo(recovered);
  await waitFor(look, 'select not pg_is_in_recovery() as done');
  t.diagnostic(`recovered in ${Math.round(performance.now() - began)} ms`);
  const emails = (await look.query('select email from users')).rows.map(({ email }) => email as string);
  await look.end();
  assert.ok(emails.includes(kept.email) && !emails.includes(lost.email));

  const database = databaseOf(recovered);
  const then = await start({ database });
  assert.deepEqual([await me(then, quiet.access), (await refresh(then, quiet.refresh)).status], [200, 200]);
  // A refresh token that is newer than the database is refused, but not treated as stolen.
  assert.equal((await refresh(then, newer)).status, 400);
  const { db } = then.context.database;
  assert.deepEqual(await db.selectFrom('events').select('id').where('type', '=', 'refresh_token.reused').execute(), []);
  assert.equal(await me(then, left.access), 200, 'the recovery has undone the logout, so all sessions must be ended');
  const ended = await gatehouseHere(['session', 'end', '--all'], dir, { DATABASE_URL: database.url, DATA_DIR: dir });
  assert.equal(ended.code, 0, ended.stderr);
  for (const { access } of [quiet, busy, left]) assert.equal(await me(then, access), 401);
  const again = await request(then, '/v1/clients/web/admin/login', { json: { email: kept.email, password } });
  assert.equal(again.status, 200);
});
