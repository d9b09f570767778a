import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { databases, onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const people = (nickname: string) => `
import { defineResource, text } from 'gatehouse-server/resources';
export default defineResource({
  name: 'people',
  fields: { name: text({ required: true, searchable: true }), ${nickname} },
  access: { read: 'auth:api', write: 'auth:api' },
  events: true,
  changes: true,
  hooks: {
    async afterWrite(call, { after }) {
      if (after?.name === 'Ada Lovelace') await call.later('greet', { id: after.id });
    },
  },
});`;

const job = `
import { defineJob } from 'gatehouse-server/jobs';
export default defineJob({ name: 'greet', run() { throw new Error('not yet'); } });`;

const migration = `
import { defineMigration, sql } from 'gatehouse-server/migrations';
export default defineMigration({
  async up({ tx, resource }) {
    await sql\`update people set nickname = upper(name)\`.execute(tx);
    await tx.updateTable('people').set({ name: 'Grace Hopper' }).where('name', '=', 'Grace').execute();
    await resource('people').create({ name: 'Ada Lovelace', nickname: 'ADA' });
    await resource('people').create({ name: 'Nobody' }).catch(() => undefined);
  },
});`;

onBothEngines('Migrations of an operator', (engine) => {
  const start = services(engine);
  const database = databases(engine);
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-migrations-'));
  after(() => rmSync(dir, { recursive: true }));
  let service: Service;
  let token: string;
  const logIn = async () => {
    const form = { email: 'admin@example.com', password: 'correct horse battery' };
    token = String((await request(service, '/v1/clients/web/admin/login', { form })).body.access_token);
  };
  const found = async (search: string) => {
    const path = `/v1/people?search=${encodeURIComponent(search)}`;
    const { body } = await request<{ data: { name: string }[] }>(service, path, { token });
    return body.data.map(({ name }) => name);
  };

  before(async () => {
    const own = await database();
    const env = {
      RESOURCES_DIR: join(dir, 'resources'),
      MIGRATIONS_DIR: join(dir, 'migrations'),
      JOBS_DIR: join(dir, 'jobs'),
    };
    for (const folder of ['resources', 'migrations', 'jobs']) mkdirSync(join(dir, folder));
    writeFileSync(join(dir, 'resources', 'people.ts'), people(''));
    writeFileSync(join(dir, 'jobs', 'greet.ts'), job);
    service = await start({ env, database: own });
    await logIn();
    await request(service, '/v1/people', { token, json: { name: 'Grace' } });
    await service.close();
    // Another file name, because a module is imported only once.
    rmSync(join(dir, 'resources', 'people.ts'));
    writeFileSync(join(dir, 'resources', 'persons.ts'), people('nickname: text({ required: true, searchable: true })'));
    writeFileSync(join(dir, 'migrations', '001-nicknames.ts'), migration);
    service = await start({ env, database: own });
    await logIn();
  });

  it('fill a new required text, and update the search index', async () => {
    assert.deepEqual(await found('nickname:grace'), ['Grace Hopper']);
    assert.deepEqual(await found('name:grace hop*'), ['Grace Hopper']);
    assert.deepEqual(await found('name:grace'), []);
  });

  it('write resources with the rules of the API, in their own transaction', async () => {
    assert.deepEqual(await found('nickname:ada'), ['Ada Lovelace']);
    assert.deepEqual(await found('name:nobody'), [], 'the row without a required value was refused');
    const { db } = service.context.database;
    const events = await db.selectFrom('events').select('type').where('type', '=', 'people.created').execute();
    assert.equal(events.length, 2);
    const changes = await db.selectFrom('change_log').select('operation').where('resource', '=', 'people').execute();
    assert.ok(changes.length >= 3);
    const jobs = await db.selectFrom('queued_jobs').select('name').where('name', '=', 'greet').execute();
    assert.equal(jobs.length, 1, 'a job of a hook is queued when the migration commits');
  });
});
