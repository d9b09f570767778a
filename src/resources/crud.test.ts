import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../../test/harness/engines.ts';
import { garage } from '../../test/harness/garage.ts';
import { idOf, type ResourceService, resourceServices } from '../../test/harness/resource-service.ts';

onBothEngines('Resources', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let owner: string;
  let plates = 0;
  const plate = () => `P-${++plates}`;
  const request: ResourceService['request'] = (...request) => service.request(...request);
  const makeCar = async (values: object = {}) =>
    (await request('POST', '/v1/cars', { json: { plate: plate(), owner_id: owner, ...values } })).row;

  before(async () => {
    service = await start(garage);
    const created = await request('POST', '/v1/owners', { json: { name: 'Ada' } });
    assert.equal(created.status, 201, created.text);
    owner = created.row.id;
  });

  it('create a row with 201, Location and ETag, and find it there', async () => {
    const values = {
      plate: plate(),
      model: 'O\'Neil "%_\\ 🚗',
      seats: 5,
      weight: 1.5,
      electric: true,
      built: '2024-02-29',
      serviced_at: '2026-01-31T13:00:00+01:00',
      color: 'Green',
      extras: { radio: [1, null, 'x'] },
      tags: ['a', 'b'],
      chassis: '0199d0a0-7c00-7000-8000-000000000001',
      pin: '1234',
      owner_id: owner,
    };
    const created = await request('POST', '/v1/cars', { json: values });
    assert.equal(created.status, 201, created.text);
    const found = await request('GET', String(created.headers.get('location')));
    assert.equal(found.status, 200);
    assert.equal(found.headers.get('etag'), created.headers.get('etag'));
    const { pin: _pin, ...shown } = values;
    const { id, created_at, updated_at, ...rest } = found.row;
    assert.match(String(id), /^[0-9a-f-]{36}$/);
    assert.ok(created_at === updated_at);
    assert.deepEqual(rest, {
      ...shown,
      serviced_at: '2026-01-31T12:00:00.000Z',
      inspected: false,
      label: `${values.plate} (5)`,
    });
  });

  it('fill in defaults and nulls', async () => {
    const car = await makeCar();
    assert.deepEqual(
      { seats: car.seats, electric: car.electric, model: car.model, tags: car.tags },
      { seats: 4, electric: false, model: null, tags: null },
    );
  });

  it('list rows with pagination', async () => {
    const list = await request('GET', '/v1/cars?limit=1');
    assert.equal(list.status, 200, list.text);
    assert.equal(list.rows.length, 1);
    const { pagination } = list;
    assert.equal(pagination.per_page, 1);
    assert.equal(pagination.current_page, 1);
    assert.ok(Number(pagination.total) >= 2);
    const next = await request('GET', String(pagination.links.next));
    assert.equal(next.pagination.current_page, 2);
  });

  it('replace by PUT, change by PATCH, and delete', async () => {
    const car = await makeCar({ model: 'Fiat', seats: 2 });
    const patched = await request('PATCH', `/v1/cars/${car.id}`, { json: { seats: 3 } });
    assert.equal(patched.status, 200, patched.text);
    assert.equal(patched.row.seats, 3);
    assert.equal(patched.row.model, 'Fiat');
    const put = await request('PUT', `/v1/cars/${car.id}`, { json: { plate: plate(), owner_id: owner } });
    assert.equal(put.status, 200, put.text);
    assert.equal(put.row.seats, 4);
    assert.equal(put.row.model, null);
    const gone = await request('DELETE', `/v1/cars/${car.id}`);
    assert.equal(gone.status, 204);
    assert.equal((await request('GET', `/v1/cars/${car.id}`)).status, 404);
  });

  it('embed relations two levels deep and show nested lists', async () => {
    const car = await makeCar();
    const driver = await request('POST', `/v1/cars/${car.id}/drivers`, { json: { name: 'Max' } });
    assert.equal(driver.status, 201, driver.text);
    const found = await request('GET', `/v1/cars/${car.id}?include=owner.cars,drivers&filter=id`);
    assert.equal(found.status, 200, found.text);
    const embedded = found.row.owner as { data: { cars: { data: { id: string }[] } } };
    assert.ok(embedded.data.cars.data.some(({ id }) => id === car.id));
    assert.deepEqual(found.row.drivers, { data: [driver.row] });
    const nested = await request('GET', `/v1/owners/${owner}/cars?limit=100`);
    assert.ok(nested.rows.some(({ id }) => id === car.id));
    assert.deepEqual((await request('GET', `/v1/cars/${car.id}/drivers`)).rows, [driver.row]);
    const list = await request('GET', '/v1/drivers?include=cars', { token: null });
    assert.equal(list.status, 401, list.text);
  });

  it('show a caller only their own rows', async () => {
    assert.equal((await request('GET', `/v1/owners/${owner}`, { token: 'alice' })).status, 404);
    const mine = await request('POST', '/v1/owners', { token: 'alice', json: { name: 'Alice' } });
    assert.equal(mine.status, 201, mine.text);
    const list = await request('GET', '/v1/owners', { token: 'alice' });
    assert.deepEqual(list.rows, [mine.row]);
    assert.equal(mine.row.user_id, idOf('alice'));
  });
});
