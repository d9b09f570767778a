import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { databases, onBothEngines, type TestDatabase } from './harness/engines.ts';
import { request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';

const declare = fileURLToPath(new URL('../src/resources/declare.ts', import.meta.url));

onBothEngines('An older and a newer version of a project, on one database', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  let database: TestDatabase;
  let token: string;
  const version = (name: string, fields: string, more = ''): string => {
    const dir = join(database.dir, name);
    mkdirSync(dir);
    writeFileSync(
      join(dir, 'cars.ts'),
      `import { defineResource, integer, text } from '${declare}';
      export default defineResource({ ${more} fields: { ${fields} }, access: { read: 'auth:api', write: 'auth:api' } });`,
    );
    return dir;
  };
  const run = (dir: string) => start({ database, env: { RESOURCES_DIR: dir, BASE_URL: 'http://cars.example.com' } });
  const send = async (service: Service, method: string, path: string, json?: object) => {
    const { status, body } = await request(service, path, { method, token, ...(json ? { json } : {}) });
    assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
    return body.data as Record<string, unknown>;
  };
  before(async () => {
    database = await createDatabase();
  });

  it('both write, and each can start again', async () => {
    const old = version(
      'old',
      'label: text({ required: true, searchable: true }), colour: text({ searchable: true }), doors: integer({ required: true })',
      "name: 'cars',",
    );
    const next = version(
      'next',
      "label: text({ required: true, searchable: true }), color: text({ searchable: true, renamedFrom: 'colour' }), seats: integer({ default: 4 })",
      "name: 'vehicles', renamedFrom: 'cars',",
    );
    let older = await run(old);
    const form = { email: 'admin@example.com', password: 'correct horse battery' };
    token = String((await request(older, '/v1/clients/web/admin/login', { form })).body.access_token);
    const first = await send(older, 'POST', '/v1/cars', { label: 'one', colour: 'red', doors: 5 });
    let newer = await run(next);
    const read = await send(newer, 'GET', `/v1/vehicles/${first.id}`);
    assert.deepEqual([read.label, read.color, read.seats], ['one', 'red', 4]);
    // The newer version does not know the field doors, which the older one requires.
    const second = await send(newer, 'POST', '/v1/vehicles', { label: 'two', color: 'blue' });
    await send(older, 'POST', '/v1/cars', { label: 'three', colour: 'Green', doors: 3 });
    assert.equal((await send(older, 'GET', `/v1/cars/${second.id}`)).colour, 'blue');
    await older.close();
    older = await run(old);
    await newer.close();
    await send(older, 'PATCH', `/v1/cars/${second.id}`, { colour: 'black', doors: 2 });
    newer = await run(next);
    await send(newer, 'PATCH', `/v1/vehicles/${first.id}`, { seats: 7 });
    assert.equal((await send(older, 'GET', `/v1/cars/${first.id}`)).doors, 5, 'nothing was removed');
    assert.equal((await send(newer, 'GET', `/v1/vehicles/${second.id}`)).color, 'black');
    const found = (await request(newer, '/v1/vehicles?search=color:green', { token })).body.data as { label: string }[];
    assert.deepEqual(
      found.map(({ label }) => label),
      ['three'],
    );
  });
});
