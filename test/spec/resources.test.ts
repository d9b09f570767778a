import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';
import { passwordGrant, specServices } from './sender.ts';

type Row = Record<string, unknown> & { readonly id: string };

onBothEngines('The specification of resources', (engine) => {
  const start = specServices(engine);
  let service: Service;
  let token: string;
  let owner: string;
  before(async () => {
    service = await start();
    token = (await passwordGrant(service)).body.access_token;
    owner = (await send<{ data: Row }>('POST', '/v1/owners', { name: 'Ada' })).body.data.id;
    for (const [plate, seats] of [
      ['A 1', 2],
      ['A 2', 4],
      ['B 1', 5],
    ] as const)
      await addCar(plate, seats);
  });
  const send = <T = Record<string, unknown>>(method: string, path: string, json?: object) =>
    request<T>(service, path, { method, token, ...(json ? { json } : {}) });
  const carOf = (plate: string, seats: number) => ({ plate, model: 'Panda', seats, owner_id: owner });
  const addCar = async (plate: string, seats = 4): Promise<Row> =>
    (await send<{ data: Row }>('POST', '/v1/cars', carOf(plate, seats))).body.data;
  const plates = async (query: string) => {
    const { status, body, text } = await send<{ data: Row[] }>('GET', `/v1/cars?${query}`);
    assert.equal(status, 200, text);
    return body.data.map(({ plate }) => plate);
  };

  it('4.7: get all, find by id, create, update in full and in part, delete', async () => {
    const made = await send<{ data: Row }>('POST', '/v1/cars', carOf('C 1', 3));
    assert.equal(made.status, 201, made.text);
    const path = `/v1/cars/${made.body.data.id}`;
    assert.equal((await send('GET', '/v1/cars')).status, 200);
    assert.equal((await send<{ data: Row }>('GET', path)).body.data.plate, 'C 1');
    const { body: whole } = await send<{ data: Row }>('PUT', path, carOf('C 2', 7));
    assert.deepEqual([whole.data.plate, whole.data.seats], ['C 2', 7]);
    assert.equal((await send('PUT', path, { seats: 1 })).status, 422, 'PUT sends the entire resource');
    const { body: part } = await send<{ data: Row }>('PATCH', path, { seats: 1 });
    assert.deepEqual([part.data.plate, part.data.seats], ['C 2', 1]);
    assert.equal((await send('DELETE', path)).status, 204);
    assert.equal((await send('GET', path)).status, 404);
  });

  it('4.7: nested list and nested create, no deeper', async () => {
    const mine = (await send<{ data: Row }>('POST', '/v1/owners', { name: 'Grace' })).body.data.id;
    const path = `/v1/owners/${mine}/cars`;
    const made = await send<{ data: Row }>('POST', path, { plate: 'N 1', model: 'Panda' });
    assert.deepEqual([made.status, made.body.data?.owner_id], [201, mine], made.text);
    const { body } = await send<{ data: Row[] }>('GET', path);
    assert.deepEqual(
      body.data.map(({ plate }) => plate),
      ['N 1'],
    );
    assert.equal((await send('GET', `${path}/${made.body.data.id}`)).status, 404);
  });

  it('4.7: search by pairs of field and value', async () => {
    assert.deepEqual(await plates('search=plate:A 1'), ['A 1']);
    assert.deepEqual(await plates('search=plate:A*;seats:4'), ['A 2']);
    assert.deepEqual(await plates('search=plate:A*; seats:4'), ['A 2']);
    assert.deepEqual(await plates('search=plate: A 1, B 1&orderBy=plate'), ['A 1', 'B 1']);
  });

  it('4.7: orderBy and sortedBy', async () => {
    assert.deepEqual(await plates('search=plate:A*,B*&orderBy=seats&sortedBy=asc'), ['A 1', 'A 2', 'B 1']);
    assert.deepEqual(await plates('search=plate:A*,B*&orderBy=seats&sortedBy=desc'), ['B 1', 'A 2', 'A 1']);
    assert.deepEqual(await plates('search=plate:A*,B*&orderBy=model; seats&sortedBy=asc; desc'), ['B 1', 'A 2', 'A 1']);
  });

  it('4.7: filter returns only the listed fields, of collections and of single resources', async () => {
    for (const filter of ['id;plate', 'id; plate', 'id%3Bplate']) {
      const { body } = await send<{ data: Row[] }>('GET', `/v1/cars?filter=${filter}&limit=1`);
      assert.deepEqual(Object.keys(body.data[0] ?? {}), ['id', 'plate']);
      const one = await send<{ data: Row }>('GET', `/v1/cars/${body.data[0]?.id}?filter=${filter}`);
      assert.deepEqual(Object.keys(one.body.data), ['id', 'plate']);
    }
  });

  it('4.7: include embeds related objects', async () => {
    for (const include of ['owner,drivers', 'owner, drivers']) {
      const { body } = await send<{ data: { owner: { data: Row }; drivers: { data: Row[] } }[] }>(
        'GET',
        `/v1/cars?search=plate:A 1&include=${include}`,
      );
      const [car] = body.data;
      assert.deepEqual([car?.owner.data.name, car?.drivers.data], ['Ada', []]);
    }
  });

  it('contract 6: an empty parameter means the same as an absent one', async () => {
    const all = (await plates('')).length;
    for (const name of [
      'search',
      'searchJoin',
      'searchFields',
      'orderBy',
      'sortedBy',
      'filter',
      'include',
      'page',
      'limit',
      'count',
    ]) {
      assert.equal((await plates(`${name}=`)).length, all, name);
    }
    const walked = await send<{ meta: { pagination: object } }>('GET', '/v1/cars?cursor=&page=&limit=');
    assert.ok('next_cursor' in walked.body.meta.pagination, walked.text);
    const one = (await send<{ data: Row[] }>('GET', '/v1/cars?limit=1')).body.data[0];
    assert.equal((await send('GET', `/v1/cars/${one?.id}?filter=&include=`)).status, 200);
    assert.equal((await send('GET', '/v1/cars?nothing=')).status, 400);
  });

  it('4.7: GET and query parameters change nothing', async () => {
    const car = await addCar('Q 1');
    for (const query of ['?seats=9', '?_method=DELETE', '?action=delete']) {
      await send('GET', `/v1/cars/${car.id}${query}`);
      await send('PATCH', `/v1/cars/${car.id}${query}`, {});
    }
    assert.deepEqual((await send<{ data: Row }>('GET', `/v1/cars/${car.id}`)).body.data, car);
  });

  it('4.7: names in paths have no extension, and POST serves RPC-like actions', async () => {
    assert.equal((await send('GET', '/v1/cars.json')).status, 404);
    const car = await addCar('R 1');
    const parked = await send<{ data: Row }>('POST', `/v1/cars/${car.id}/park`, { place: 'Level 2' });
    assert.deepEqual([parked.status, parked.body.data.parked_at], [200, 'Level 2']);
  });

  it('4.7: DELETE rather than POST removes resources, also many at once', async () => {
    const path = '/v1/cars/batches';
    const made = await send<{ data: { status: number; data: Row }[] }>('POST', path, {
      rows: [carOf('D 1', 2), carOf('D 2', 2)],
    });
    const ids = made.body.data.map(({ data }) => data.id);
    const rows = ids.map((id) => ({ id, seats: 3 }));
    for (const [method, body, status] of [
      ['PATCH', { rows }, 200],
      ['DELETE', { ids }, 204],
    ] as const) {
      const response = await send<{ data: { status: number }[] }>(method, path, body);
      assert.equal(response.status, 200, response.text);
      assert.deepEqual(new Set(response.body.data.map((row) => row.status)), new Set([status]));
    }
    assert.deepEqual(await plates('search=plate:D*'), []);
  });
});
