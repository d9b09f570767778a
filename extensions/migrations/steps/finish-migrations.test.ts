import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { databases, type TestDatabase } from '../../../test/harness/engines.ts';
import { request } from '../../../test/harness/request.ts';
import { services } from '../../../test/harness/service.ts';

const declare = fileURLToPath(new URL('../../../src/resources/declare.ts', import.meta.url));

describe('Indexes of declared resources on a PostgreSQL with rows', () => {
  const clients: pg.Client[] = [];
  // Runs before the database is removed.
  after(async () => {
    for (const client of clients) await client.end();
  });
  const createDatabase = databases('postgres');
  const start = services('postgres');
  let database: TestDatabase;
  let writer: pg.Client;
  let other: pg.Client;
  const run = (name: string, fields: string) => {
    const dir = join(database.dir, name);
    mkdirSync(dir);
    writeFileSync(
      join(dir, 'cars.ts'),
      `import { defineResource, integer, text } from '${declare}';
      export default defineResource({ name: 'cars', fields: { ${fields} }, access: { read: 'auth:api', write: 'auth:api' } });`,
    );
    return start({ database, env: { RESOURCES_DIR: dir, BASE_URL: 'http://cars.example.com' } });
  };
  const validity = async () => {
    const { rows } = await other.query<{ name: string; valid: boolean }>(
      `select relname as name, indisvalid as valid from pg_index join pg_class on pg_class.oid = indexrelid
        where indrelid = 'cars'::regclass`,
    );
    return Object.fromEntries(rows.map(({ name, valid }) => [name, valid]));
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
  const insert = (id: string) =>
    `insert into cars (id, doors, created_at, updated_at, version) values ('${id}', 3, 1, 1, 1)`;

  before(async () => {
    database = await createDatabase();
    await (await run('first', 'plate: text(), doors: integer(), seats: integer()')).close();
    clients.push(...[1, 2].map(() => new pg.Client({ connectionString: database.url })));
    [writer, other] = clients as [pg.Client, pg.Client];
    for (const client of clients) await client.connect();
    await other.query(insert('first'));
  });

  it('are created while the service serves, without blocking writes; unique indexes exist before', async () => {
    await (await run('unique', 'plate: text({ unique: true }), doors: integer(), seats: integer()')).close();
    assert.equal((await validity()).cars_plate_unique, true);
    // No index can be created until this transaction ends.
    await writer.query('begin');
    await writer.query(insert('open'));
    const fields = 'plate: text({ unique: true }), doors: integer({ sortable: true }), seats: integer()';
    const service = await run('sortable', fields);
    const form = { email: 'admin@example.com', password: 'correct horse battery' };
    const token = String((await request(service, '/v1/clients/web/admin/login', { form })).body.access_token);
    const { status, body } = await request(service, '/v1/cars?orderBy=doors', { token });
    assert.equal(status, 200, JSON.stringify(body));
    while ((await validity()).cars_doors_id_order === undefined) await pause();
    assert.equal((await validity()).cars_doors_id_order, false);
    await other.query('set lock_timeout = 5000');
    await other.query(insert('meanwhile'));
    await service.close();
    // The work was interrupted. The next start continues it.
    const again = await run('again', fields);
    await writer.query('commit');
    while ((await validity()).cars_doors_id_order !== true) await pause();
    await again.close();
  });
});
