import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { before, it } from 'node:test';
import { sql } from 'kysely';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { garage } from '../../../test/harness/garage.ts';
import { type ResourceService, type Row, resourceServices } from '../../../test/harness/resource-service.ts';

onBothEngines('Pagination by cursor', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let owner: string;
  let plates = 0;
  const request: ResourceService['request'] = (...request) => service.request(...request);
  const makeCar = async (values: object = {}) => {
    const made = await request('POST', '/v1/cars', { json: { plate: `V-${++plates}`, owner_id: owner, ...values } });
    assert.equal(made.status, 201, made.text);
    return made.row;
  };
  before(async () => {
    service = await start(garage);
    owner = (await request('POST', '/v1/owners', { json: { name: 'Ada' } })).row.id;
  });

  for (const order of [
    '',
    '&sortedBy=desc',
    '&orderBy=model',
    '&orderBy=weight&sortedBy=desc',
    '&orderBy=color;seats',
  ]) {
    it(`returns each remaining row once while others are added and deleted${order}`, async () => {
      const before = new Map<string, Row>();
      const removable: Row[] = [];
      for (let i = 0; i < 30; i++) {
        const values = { model: i % 3 ? `m${i % 4}` : null, weight: i % 4 ? i % 5 : null, color: i % 2 ? 'red' : null };
        const row = await makeCar(values);
        if (i % 3 === 0) removable.push(row);
        else before.set(row.id, row);
      }
      const seen: string[] = [];
      for (let next: string | null = `/v1/cars?cursor=&limit=4${order}`; next !== null; ) {
        const page = await request('GET', next);
        assert.equal(page.status, 200, page.text);
        seen.push(...page.rows.map(({ id }) => id));
        next = page.pagination.links.next;
        await makeCar({ model: 'm1', weight: 2 });
        const gone = removable.shift();
        if (gone) assert.equal((await request('DELETE', `/v1/cars/${gone.id}`)).status, 204);
      }
      assert.equal(new Set(seen).size, seen.length, 'no row twice');
      for (const id of before.keys()) assert.ok(seen.includes(id), 'no row that stayed is missed');
      for (const row of (await request('GET', '/v1/cars?limit=100&count=none')).rows)
        await request('DELETE', `/v1/cars/${row.id}`);
    });
  }

  it('keeps the other parameters in the links, and stops at the ends', async () => {
    for (let i = 0; i < 3; i++) await makeCar({ model: 'link; me' });
    const query = `search=${encodeURIComponent('model:link\\; me')}&orderBy=plate&filter=id`;
    const first = await request('GET', `/v1/cars?${query}&limit=2`);
    assert.equal(first.pagination.links.previous, null);
    assert.deepEqual([first.pagination.total, first.pagination.total_pages], [3, 2]);
    const second = await request('GET', String(first.pagination.links.next));
    assert.deepEqual(Object.keys(second.rows[0] ?? {}), ['id']);
    assert.equal(second.pagination.links.next, null);
    assert.deepEqual((await request('GET', String(second.pagination.links.previous))).rows, first.rows);
    const beyond = await request('GET', `/v1/cars?${query}&page=9`);
    assert.deepEqual([beyond.rows.length, beyond.pagination.total, beyond.pagination.total_pages], [0, 3, 1]);
    const uncounted = await request('GET', `/v1/cars?${query}&limit=2&count=none`);
    assert.ok(!('total' in uncounted.pagination) && uncounted.pagination.links.next);
    const none = await request('GET', '/v1/cars?search=model:nothing&cursor=');
    assert.deepEqual([none.rows, none.pagination.next_cursor], [[], null]);
  });

  it('caps the total unless an exact count is requested, and notices deleted rows', async () => {
    const { db } = service.context.database;
    for (let batch = 0; batch < 21; batch++) {
      const rows = Array.from({ length: 500 }, (_, i) => ({
        id: `0199d0a0-7c00-7000-8000-${String(batch * 500 + i).padStart(12, '0')}`,
        ...{ name: 'n', name_folded: 'n', created_at: 1, updated_at: 1, version: 1 },
      }));
      await db.withTables<{ drivers: (typeof rows)[number] }>().insertInto('drivers').values(rows).execute();
    }
    const capped = await request('GET', '/v1/drivers?limit=100');
    assert.deepEqual([capped.pagination.total, capped.pagination.total_capped], [10_000, true]);
    assert.equal(capped.pagination.total_pages, 100);
    const exact = await request('GET', '/v1/drivers?limit=100&count=exact');
    assert.deepEqual([exact.pagination.total, exact.pagination.total_capped], [10_500, undefined]);
    const car = await makeCar();
    const { id } = capped.rows[0] as Row;
    await request('POST', '/v1/assignments', { json: { car_id: car.id, driver_id: id } });

    const deleteFrom = (first: number, last: number) =>
      `delete from drivers where id between '0199d0a0-7c00-7000-8000-${String(first).padStart(12, '0')}' and '0199d0a0-7c00-7000-8000-${String(last).padStart(12, '0')}'`;
    const total = async () => {
      const { pagination } = await request('GET', '/v1/drivers?limit=1');
      return [pagination.total, pagination.total_capped];
    };
    assert.deepEqual(await total(), [10_000, true]);
    await sql.raw(deleteFrom(10_000, 10_498)).execute(db);
    assert.deepEqual(await total(), [10_000, true]);
    await sql.raw(deleteFrom(10_499, 10_499)).execute(db);
    assert.deepEqual(await total(), [10_000, undefined]);
    // The rows are far apart in the file, as after many deletions. They are still counted one by one.
    if (engine === 'sqlite') await sql`update drivers set rowid = -1000 * rowid`.execute(db);
    await sql.raw(deleteFrom(9000, 9099)).execute(db);
    assert.deepEqual(await total(), [9900, undefined]);
    if (engine === 'postgres') return;
    const other = new DatabaseSync(service.context.config.databaseUrl.slice('sqlite:'.length));
    other.exec(deleteFrom(9100, 9199));
    other.close();
    assert.deepEqual(await total(), [9800, undefined]);
  });

  it('limits the rows of an include, and links to the rest', async () => {
    const { id } = (await request('POST', '/v1/owners', { json: { name: 'Many' } })).row;
    for (let i = 0; i < 101; i++) await makeCar({ owner_id: id });
    const found = await request('GET', `/v1/owners/${id}?include=cars`);
    const cars = found.row.cars as { data: Row[]; meta: { more: boolean; all: string } };
    assert.equal(cars.data.length, 100);
    assert.deepEqual(cars.meta, { more: true, all: `/v1/owners/${id}/cars` });
    assert.equal((await request('GET', cars.meta.all)).pagination.total, 101);
  });
});
