import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { garage } from '../../../test/harness/garage.ts';
import { idOf, type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';

onBothEngines('Search and order through relations', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  const request: ResourceService['request'] = (...request) => service.request(...request);
  const plates = async (query: string, token = 'admin') => {
    const response = await request('GET', `/v1/cars?limit=100&${query}`, { token });
    assert.equal(response.status, 200, response.text);
    return response.rows.map(({ plate }) => plate);
  };
  const refusal = async (query: string, token = 'admin') => {
    const { status, problem, text } = await request('GET', `/v1/cars?${query}`, { token });
    assert.ok(status === 400 || status === 403, text);
    return problem;
  };

  before(async () => {
    service = await start(garage);
    const make = async (path: string, json: object) => {
      const made = await request('POST', path, { json });
      assert.equal(made.status, 201, made.text);
      return made.row.id;
    };
    // Alice sees only her own owner.
    const ada = await make('/v1/owners', { name: 'Ada', user_id: idOf('alice') });
    const zoe = await make('/v1/owners', { name: 'Zoe', user_id: idOf('bob') });
    const bea = await make('/v1/owners', { name: 'bea', user_id: idOf('admin') });
    for (const [plate, owner] of [
      ['A1', zoe],
      ['A2', ada],
      ['A3', bea],
      ['A4', ada],
    ] as const) {
      await make('/v1/cars', { plate, owner_id: owner });
    }
    const cars = (await request('GET', '/v1/cars?orderBy=plate')).rows;
    const driver = await make('/v1/drivers', { name: 'Dora' });
    await make('/v1/assignments', { car_id: cars[0]?.id, driver_id: driver });
    await make('/v1/assignments', { car_id: cars[1]?.id, driver_id: driver });
  });

  it('find rows by fields of their related rows', async () => {
    assert.deepEqual(await plates('search=owner.name:ada&orderBy=plate'), ['A2', 'A4']);
    assert.deepEqual(await plates('search=owner.name:ad*&orderBy=plate'), ['A2', 'A4']);
    assert.deepEqual(await plates('search=owner.name:*E*&orderBy=plate'), ['A1', 'A3']);
    assert.deepEqual(await plates('search=owner.name:zoe,bea;plate:A3'), ['A3']);
    assert.deepEqual(await plates('search=owner.name:zoe;plate:A4&searchJoin=or&orderBy=plate'), ['A1', 'A4']);
    assert.deepEqual(await plates('search=owner.name|plate:A3,Zoe&orderBy=plate'), ['A1', 'A3']);
    assert.deepEqual(await plates('search=owner.name:!=ada&orderBy=plate'), ['A1', 'A3']);
    assert.deepEqual(await plates('search=owner.name:>b&orderBy=plate'), ['A1', 'A3']);
    assert.deepEqual(await plates('search=drivers.name:dora&orderBy=plate'), ['A1', 'A2']);
    assert.deepEqual(await plates('search=owner.user.email:alice@*&orderBy=plate'), ['A2', 'A4']);
    assert.deepEqual(await plates('search=owner.name:Zo&searchFields=owner.name:like'), ['A1']);
    const owners = await request('GET', '/v1/owners?search=cars.plate:A3,A1&orderBy=name');
    assert.deepEqual(
      owners.rows.map(({ name }) => name),
      ['bea', 'Zoe'],
    );
  });

  it('sort by fields of related rows, by page and by cursor', async () => {
    assert.deepEqual(await plates('orderBy=owner.name;plate&sortedBy=asc;desc'), ['A4', 'A2', 'A3', 'A1']);
    assert.deepEqual(await plates('orderBy=owner.name;plate&sortedBy=desc;asc'), ['A1', 'A3', 'A2', 'A4']);
    for (const order of ['orderBy=owner.name', 'orderBy=owner.name&sortedBy=desc', 'orderBy=owner.name;plate']) {
      const walked: unknown[] = [];
      for (let cursor: string | null | undefined = ''; cursor !== null && cursor !== undefined; ) {
        const page = await request('GET', `/v1/cars?${order}&limit=1&cursor=${cursor}`, { token: 'alice' });
        assert.equal(page.status, 200, page.text);
        walked.push(...page.rows.map(({ plate }) => plate));
        cursor = page.pagination.next_cursor;
      }
      assert.deepEqual(walked, await plates(order, 'alice'), order);
      assert.equal(walked.length, 4);
    }
  });

  it('reveal nothing about rows that the caller may not see', async () => {
    assert.deepEqual(await plates('search=owner.name:zoe', 'alice'), []);
    assert.deepEqual(await plates('search=owner.name:*', 'alice'), ['A2', 'A4']);
    assert.deepEqual(await plates('search=owner.name:!=zoe&orderBy=plate', 'alice'), ['A1', 'A2', 'A3', 'A4']);
    // Hidden owners sort like missing ones, so that the order reveals nothing. A1 and A3 are ordered by their ids.
    assert.deepEqual(await plates('orderBy=owner.name;plate', 'alice'), ['A1', 'A3', 'A2', 'A4']);
    const { pagination } = await request('GET', '/v1/cars?search=owner.name:z*', { token: 'alice' });
    assert.equal(pagination.total, 0);
    assert.equal((await refusal('search=owner.name:ada', 'alice-cars:read')).code, 'insufficient_scope');
    assert.equal((await refusal('orderBy=owner.name', 'alice-cars:read')).code, 'insufficient_scope');
  });

  it('refuse unknown names, and list the known ones', async () => {
    const cases: [string, RegExp][] = [
      ['search=owners.name:x', /relation of cars "owners" .*Did you mean "owner"/],
      ['search=owner.user_idd:x', /field of owners "user_idd"/],
      ['search=owner.user.owners.name:x', /too many relations/],
      ['search=owner.user.password_hash:x', /field of users "password_hash"/],
      ['searchFields=owner.nam:like', /searchFields: the field of owners "nam"/],
      ['orderBy=drivers.name', /"drivers" leads to many rows/],
      ['orderBy=owner.user_id', /field of owners "user_id"/],
      ['orderBy=owner.name;owner.name', /"owner.name" appears twice/],
    ];
    for (const [query, says] of cases) assert.match((await refusal(query)).detail, says, query);
  });
});
