import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { garage } from '../../../test/harness/garage.ts';
import { idOf, type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';
import { pruneIdempotencyKeys } from './idempotency.ts';

onBothEngines('Writes', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let owner: string;
  let plates = 0;
  const request: ResourceService['request'] = (...request) => service.request(...request);
  const makeCar = async (values: object = {}) =>
    (await request('POST', '/v1/cars', { json: { plate: `W-${++plates}`, owner_id: owner, ...values } })).row;
  before(async () => {
    service = await start(garage);
    owner = (await request('POST', '/v1/owners', { json: { name: 'Ada' } })).row.id;
  });

  it('respond 304 only to the ETag of the current response', async () => {
    const { id } = await makeCar();
    const first = await request('GET', `/v1/cars/${id}`);
    const etag = String(first.headers.get('etag'));
    for (const header of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const again = await request('GET', `/v1/cars/${id}`, { headers: { 'if-none-match': header } });
      assert.equal(again.status, 304, header);
      assert.equal(again.text, '');
    }
    const filtered = await request('GET', `/v1/cars/${id}?filter=id`, { headers: { 'if-none-match': etag } });
    assert.equal(filtered.status, 200);
    await request('PATCH', `/v1/cars/${id}`, { json: { seats: 9 } });
    assert.equal((await request('GET', `/v1/cars/${id}`, { headers: { 'if-none-match': etag } })).status, 200);
    const list = await request('GET', '/v1/cars');
    const known = { 'if-none-match': String(list.headers.get('etag')) };
    assert.equal((await request('GET', '/v1/cars', { headers: known })).status, 304);
  });

  it('accept If-Match with any ETag of the stored version, and respond 412 otherwise', async () => {
    const { id } = await makeCar();
    const shown = await request('GET', `/v1/cars/${id}?filter=id&include=owner`);
    const old = String(shown.headers.get('etag'));
    const changed = await request('PATCH', `/v1/cars/${id}`, { json: { seats: 7 }, headers: { 'if-match': old } });
    assert.equal(changed.status, 200, changed.text);
    for (const [method, json] of [
      ['PATCH', { seats: 8 }],
      ['PUT', { plate: 'x', owner_id: owner }],
      ['DELETE', undefined],
    ] as const) {
      const late = await request(method, `/v1/cars/${id}`, { json, headers: { 'if-match': old } });
      assert.equal(late.status, 412, method);
    }
    assert.equal((await request('GET', `/v1/cars/${id}`)).row.seats, 7);
    const current = String(changed.headers.get('etag'));
    assert.equal(
      (await request('PATCH', `/v1/cars/${id}`, { json: {}, headers: { 'if-match': `W/${current}` } })).status,
      412,
    );
    const both = await request('PATCH', `/v1/cars/${id}`, {
      json: { seats: 6 },
      headers: { 'if-match': `"9-x", ${current}` },
    });
    assert.equal(both.status, 200);
    assert.equal((await request('DELETE', `/v1/cars/${id}`, { headers: { 'if-match': '*' } })).status, 204);
    assert.equal((await request('DELETE', `/v1/cars/${id}`, { headers: { 'if-match': '*' } })).status, 404);
  });

  it('let only one of two concurrent editors win', async () => {
    const { id } = await makeCar();
    const headers = { 'if-match': String((await request('GET', `/v1/cars/${id}`)).headers.get('etag')) };
    const responses = await Promise.all(
      [11, 12, 13, 14, 15].map((seats) => request('PATCH', `/v1/cars/${id}`, { json: { seats }, headers })),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 412, 412, 412, 412]);
  });

  it('accept a whole resource as it was read, and refuse changes of unchangeable fields', async () => {
    const car = await makeCar({ chassis: '0199d0a0-7c00-7000-8000-000000000001', seats: 2 });
    const put = await request('PUT', `/v1/cars/${car.id}`, { json: { ...car, seats: 3 } });
    assert.equal(put.status, 200, put.text);
    assert.equal(put.row.seats, 3);
    const rejected = { ...car, id: idOf('bob'), created_at: '2026-01-01T00:00:00Z', inspected: true, chassis: null };
    const refused = await request('PUT', `/v1/cars/${car.id}`, { json: rejected });
    assert.equal(refused.status, 422, refused.text);
    assert.deepEqual(refused.problem.errors.map(({ field }) => field).sort(), [
      'chassis',
      'created_at',
      'id',
      'inspected',
    ]);
    assert.equal((await request('PUT', `/v1/cars/${car.id}`, { json: { seats: 1 } })).status, 422);
  });

  it('leave a row unchanged if no value changes', async () => {
    const car = await makeCar();
    service.advance(1000);
    const same = await request('PATCH', `/v1/cars/${car.id}`, { json: { seats: car.seats } });
    assert.deepEqual(same.row, car);
    const other = await request('PATCH', `/v1/cars/${car.id}`, { json: { seats: 50 } });
    assert.ok(String(other.row.updated_at) > String(car.updated_at));
    assert.equal(other.row.created_at, car.created_at);
  });

  it('parse forms by the types of the fields', async () => {
    const form = {
      plate: 'F-1',
      owner_id: owner,
      seats: '7',
      weight: '1.25',
      electric: 'on',
      built: '',
      model: '',
      tags: 'a,b',
      extras: '{"a":[1]}',
    };
    const made = await request('POST', '/v1/cars', { form });
    assert.equal(made.status, 201, made.text);
    const { seats, weight, electric, built, model, tags, extras } = made.row;
    assert.deepEqual(
      { seats, weight, electric, built, model, tags, extras },
      { seats: 7, weight: 1.25, electric: true, built: null, model: null, tags: ['a', 'b'], extras: { a: [1] } },
    );
    const rejected = await request('POST', '/v1/cars', {
      form: { plate: 'F-2', owner_id: owner, seats: 'many', electric: 'perhaps' },
    });
    assert.deepEqual(
      rejected.problem.errors.map(({ field, code }) => [field, code]),
      [
        ['seats', 'type'],
        ['electric', 'type'],
      ],
    );
  });

  it('refuse to delete a row that others refer to, and name their resources', async () => {
    const { id } = await makeCar();
    const refused = await request('DELETE', `/v1/owners/${owner}`);
    assert.equal(refused.status, 409);
    assert.match(refused.problem.detail, /cars \(owner_id\)/);
    const driver = (await request('POST', '/v1/drivers', { json: { name: 'Max' } })).row;
    const link = await request('POST', '/v1/assignments', { json: { car_id: id, driver_id: driver.id } });
    assert.equal(link.status, 201, link.text);
    const twice = await request('POST', '/v1/assignments', { json: { car_id: id, driver_id: driver.id } });
    assert.deepEqual(
      twice.problem.errors.map(({ code }) => code),
      ['taken'],
    );
    assert.equal((await request('DELETE', `/v1/cars/${id}`)).status, 204);
    assert.equal((await request('GET', `/v1/assignments/${link.row.id}`)).status, 404);
  });

  it('create a row under its parent', async () => {
    const made = await request('POST', `/v1/owners/${owner}/cars`, { json: { plate: 'N-1' } });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.row.owner_id, owner);
    assert.match(String(made.headers.get('location')), new RegExp(`/v1/cars/${made.row.id}$`));
    const other = await request('POST', `/v1/owners/${owner}/cars`, { json: { plate: 'N-2', owner_id: made.row.id } });
    assert.equal(other.status, 422);
    assert.equal((await request('POST', `/v1/owners/${made.row.id}/cars`, { json: { plate: 'N-3' } })).status, 404);
    // The rule of the driver allows the write, but the rule of the link does not. So nothing is stored.
    const count = async () => (await request('GET', '/v1/drivers?limit=1')).pagination.total;
    const drivers = await count();
    assert.equal(
      (await request('POST', `/v1/cars/${made.row.id}/drivers`, { token: 'alice', json: { name: 'X' } })).status,
      403,
    );
    assert.equal(await count(), drivers);
  });

  it('repeat the first response for a retry with the same Idempotency-Key', async () => {
    const json = { plate: 'I-1', owner_id: owner };
    const headers = { 'idempotency-key': 'order-1' };
    const responses = await Promise.all([1, 2, 3, 4].map(() => request('POST', '/v1/cars', { json, headers })));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [201, 201, 201, 201],
      responses.map(({ text }) => text).join('\n'),
    );
    assert.equal(new Set(responses.map(({ text }) => text)).size, 1);
    assert.equal(new Set(responses.map((response) => response.headers.get('location'))).size, 1);
    assert.equal((await request('POST', '/v1/cars', { json: { ...json, seats: 3 }, headers })).status, 422);
    const others = await request('POST', '/v1/cars', { json: { ...json, plate: 'I-2' }, headers, token: 'alice' });
    assert.equal(others.problem.errors?.[0]?.code, 'not_found', 'another caller has separate keys');
    assert.equal(
      (await request('POST', '/v1/owners', { json: { name: 'Eve' }, headers })).status,
      201,
      'another path has separate keys',
    );
    service.advance(25 * 60 * 60 * 1000);
    await pruneIdempotencyKeys(service.context);
    const { db } = service.context.database;
    assert.deepEqual(await db.selectFrom('idempotency_keys').select('id').execute(), []);
    assert.equal((await request('POST', '/v1/cars', { json, headers })).problem.errors[0]?.code, 'taken');
    const failed = await request('POST', '/v1/cars', { json: {}, headers: { 'idempotency-key': 'order-2' } });
    assert.equal(failed.status, 422);
    const mended = await request('POST', '/v1/cars', {
      json: { ...json, plate: 'I-3' },
      headers: { 'idempotency-key': 'order-2' },
    });
    assert.equal(mended.status, 201);
    assert.equal((await request('POST', '/v1/cars', { json, headers: { 'idempotency-key': 'a b' } })).status, 400);
  });

  it('repeat the first response of a change and of a deletion, regardless of If-Match', async () => {
    const { id } = await makeCar({ seats: 2 });
    const found = await request('GET', `/v1/cars/${id}`);
    const headers = { 'idempotency-key': 'change-1', 'if-match': String(found.headers.get('etag')) };
    const change = { json: { seats: 3 }, headers };
    const responses = await Promise.all([1, 2, 3].map(() => request('PATCH', `/v1/cars/${id}`, change)));
    assert.deepEqual(
      responses.map(({ status, text, headers }) => [status, text, headers.get('etag')]),
      responses.map(() => [200, responses[0]?.text, responses[0]?.headers.get('etag')]),
    );
    assert.equal(responses[0]?.row.seats, 3);
    assert.equal((await request('PATCH', `/v1/cars/${id}`, { json: { seats: 4 }, headers })).status, 422);
    assert.equal((await request('GET', `/v1/cars/${id}`)).row.seats, 3);
    const removal = { headers: { 'idempotency-key': 'change-1' } };
    for (const _ of [1, 2]) assert.equal((await request('DELETE', `/v1/cars/${id}`, removal)).status, 204);
    assert.equal((await request('DELETE', `/v1/cars/${id}`)).status, 404);
    assert.equal((await request('PATCH', `/v1/cars/${id}`, change)).status, 410);
  });

  it('record events if the declaration enables them', async () => {
    const car = await makeCar();
    await request('PATCH', `/v1/cars/${car.id}`, { json: { seats: 3 } });
    await request('DELETE', `/v1/cars/${car.id}`);
    const events = await service.context.database.db.selectFrom('events').selectAll().orderBy('id').execute();
    const own = events.filter(({ data }) => data.includes(car.id));
    assert.deepEqual(
      own.map(({ type }) => type),
      ['cars.created', 'cars.updated', 'cars.deleted'],
    );
    const [created, updated, deleted] = own.map(({ data }) => JSON.parse(data));
    assert.deepEqual(updated, { id: car.id, fields: ['seats'], changes: { seats: { from: car.seats, to: 3 } } });
    assert.deepEqual([created.changes.plate, deleted.changes.plate], [{ to: car.plate }, { from: car.plate }]);
    assert.equal(own[0]?.user_id, idOf('admin'));
  });
});
