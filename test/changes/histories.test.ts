import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { gatehouseHere } from '../harness/command-here.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const env = { RESOURCES_DIR: new URL('./resources', import.meta.url).pathname };

/** Creates a car, and returns the position of a list that contains it. */
async function makeCar(service: Service, plate: string): Promise<{ token: string; position: string }> {
  const token = await logIn(service, 'admin@example.com', 'correct horse battery');
  assert.equal((await request(service, '/v1/cars', { json: { plate }, token })).status, 201);
  const { body } = await request<{ meta: { changes_position: string } }>(service, '/v1/cars', { token });
  return { token, position: body.meta.changes_position };
}

/** The events that a subscriber receives after a position. */
async function resumeAfter(service: Service, position: string): Promise<[number, string | undefined]> {
  const token = await logIn(service, 'admin@example.com', 'correct horse battery');
  const path = `/v1/changes?resources=cars&after=${position}`;
  const { status, body } = await request<{ code?: string }>(service, path, { token });
  return [status, body.code];
}

onBothEngines('A service after gatehouse move', (engine) => {
  const start = services(engine);
  const create = databases(engine);
  const other = engine === 'sqlite' ? 'postgres' : 'sqlite';
  const createOther = databases(other);
  const startOther = services(other);

  it('responds to an earlier position with resync', async () => {
    const [here, there] = [await create(), await createOther()];
    const old = await start({ database: here, env });
    const { position } = await makeCar(old, 'M 1');
    assert.deepEqual(await resumeAfter(old, position), [200, undefined]);
    await old.close();
    const given = { DATABASE_URL: here.url, DATA_DIR: here.dir };
    const moved = await gatehouseHere(['move', '--to', there.url], here.dir, given);
    assert.equal(moved.code, 0, moved.stderr);
    copyFileSync(join(here.dir, 'encryption.key'), join(there.dir, 'encryption.key'));
    const now = await startOther({ database: there, env });
    assert.deepEqual(await resumeAfter(now, position), [410, 'resync']);
    const { position: next } = await makeCar(now, 'M 2');
    assert.deepEqual(await resumeAfter(now, next), [200, undefined]);
  });
});

describe('A service with a restored database', () => {
  const start = services('sqlite');
  const create = databases('sqlite');

  it('responds to an earlier position with resync, even after as many new changes', async () => {
    const database = await create();
    const given = { DATABASE_URL: database.url, DATA_DIR: database.dir };
    const copy = join(database.dir, 'copy.db');
    const before = await start({ database, env });
    await makeCar(before, 'R 1');
    const backup = await gatehouseHere(['backup', copy], database.dir, given);
    assert.equal(backup.code, 0, backup.stderr);
    const { position } = await makeCar(before, 'R 2');
    await before.close();
    const restored = await gatehouseHere(['restore', copy, '--force'], database.dir, given);
    assert.equal(restored.code, 0, restored.stderr);
    const now = await start({ database, env });
    assert.deepEqual(await resumeAfter(now, position), [410, 'resync']);
    await makeCar(now, 'R 3');
    await makeCar(now, 'R 4');
    assert.deepEqual(await resumeAfter(now, position), [410, 'resync']);
  });
});

describe('An instance that starts while a transaction is open', () => {
  const start = services('postgres');

  it('accepts a position of another instance', async () => {
    const first = await start({ env });
    const { position } = await makeCar(first, 'O 1');
    await first.context.database.db.transaction().execute(async (tx) => {
      await sql`select pg_current_xact_id()`.execute(tx);
      const second = await start({ env, database: first.database });
      assert.deepEqual(await resumeAfter(second, position), [200, undefined]);
    });
  });
});
