import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { anyOf, owner, role } from '../../src/resources/declaration/access.ts';
import { defineResource } from '../../src/resources/declaration/define-resource.ts';
import { belongsTo, hasMany } from '../../src/resources/declaration/relations.ts';
import { boolean, date, decimal, integer, number, oneOf, reference, text } from '../../src/resources/declare.ts';
import { onBothEngines } from '../../test/harness/engines.ts';
import { garage } from '../../test/harness/garage.ts';
import { idOf, type ResourceService, resourceServices } from '../../test/harness/resource-service.ts';

const fleets = defineResource({
  name: 'fleets',
  fields: { name: text({ required: true, searchable: true }) },
  relations: { vans: hasMany('vans', { by: 'fleet_id' }) },
  access: { read: 'auth:api', write: 'auth:api' },
});

const vans = defineResource({
  name: 'vans',
  fields: {
    kind: oneOf(['bus', 'van'], { searchable: true }),
    seats: integer({ searchable: true }),
    weight: number(),
    price: decimal({ precision: 20, scale: 2 }),
    built: date(),
    electric: boolean({ default: false }),
    secret: integer({ hidden: true }),
    notes: text({ max: 5000 }),
    fleet_id: reference('fleets'),
    user_id: reference('users', { default: ({ caller }) => caller.userId }),
  },
  relations: { fleet: belongsTo('fleets', { by: 'fleet_id' }) },
  access: { read: anyOf(role('admin'), owner('user_id')), write: 'auth:api' },
});

onBothEngines('Aggregates', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let fleet: string;
  const request: ResourceService['request'] = (...request) => service.request(...request);
  const computed = async (query: string, token = 'admin', path = '/v1/vans') => {
    const response = await request('GET', `${path}?${query}`, { token });
    assert.equal(response.status, 200, response.text);
    return response.rows as unknown[];
  };

  before(async () => {
    service = await start([...garage, fleets, vans]);
    fleet = (await request('POST', '/v1/fleets', { json: { name: 'North' } })).row.id;
    const rows = [
      { kind: 'van', seats: 3, weight: 1.5, price: '0.10', built: '2024-01-31', user_id: idOf('alice') },
      { kind: 'van', seats: 9, weight: 0.25, price: '0.20', built: '2020-06-01', fleet_id: fleet },
      { kind: 'bus', seats: 50, weight: null, price: '-12345678901234567.05', electric: true, fleet_id: fleet },
      { kind: null, seats: null, price: null, user_id: idOf('alice') },
    ];
    for (const json of rows) {
      const made = await request('POST', '/v1/vans', { json });
      assert.equal(made.status, 201, made.text);
    }
  });

  it('count, sum and compare rows, in total and in groups', async () => {
    assert.deepEqual(await computed('aggregate=count,sum:seats&groupBy=kind'), [
      { kind: null, count: 1, sum: { seats: null } },
      { kind: 'bus', count: 1, sum: { seats: 50 } },
      { kind: 'van', count: 2, sum: { seats: 12 } },
    ]);
    assert.deepEqual(
      await computed('aggregate=count, avg:seats,min:seats,max:seats,sum:weight,avg:weight,min:built,max:built'),
      [
        {
          count: 4,
          avg: { seats: 62 / 3, weight: 0.875 },
          min: { seats: 3, built: '2020-06-01' },
          max: { seats: 50, built: '2024-01-31' },
          sum: { weight: 1.75 },
        },
      ],
    );
    assert.deepEqual(await computed('aggregate=count&groupBy=electric,kind&search=kind:!=null'), [
      { electric: false, kind: 'van', count: 2 },
      { electric: true, kind: 'bus', count: 1 },
    ]);
  });

  it('add decimals exactly', async () => {
    assert.deepEqual(await computed('aggregate=sum:price,avg:price,min:price,max:price'), [
      {
        sum: { price: '-12345678901234566.75' },
        avg: { price: '-4115226300411522.25' },
        min: { price: '-12345678901234567.05' },
        max: { price: '0.20' },
      },
    ]);
    assert.deepEqual(await computed('aggregate=sum:price,avg:price&groupBy=kind&search=kind:van'), [
      { kind: 'van', sum: { price: '0.30' }, avg: { price: '0.15' } },
    ]);
  });

  it('sort groups and return them in pages', async () => {
    const kinds = async (query: string) =>
      ((await computed(`aggregate=count,sum:price&groupBy=kind&${query}`)) as { kind: string | null }[]).map(
        ({ kind }) => kind,
      );
    assert.deepEqual(await kinds('orderBy=count;kind&sortedBy=desc;asc'), ['van', null, 'bus']);
    assert.deepEqual(await kinds('orderBy=sum:price'), [null, 'bus', 'van']);
    assert.deepEqual(await kinds('sortedBy=desc'), ['van', 'bus', null]);
    const page = await request('GET', '/v1/vans?aggregate=count&groupBy=kind&limit=2&page=2');
    assert.deepEqual(page.rows as unknown[], [{ kind: 'van', count: 2 }]);
    const { links, ...figures } = page.pagination;
    assert.deepEqual(figures, { total: 3, count: 1, per_page: 2, current_page: 2, total_pages: 2 });
    assert.ok(links.next === null && links.previous?.includes('aggregate=count'));
    const beyond = await request('GET', '/v1/vans?aggregate=count&groupBy=kind&limit=2&page=9');
    assert.deepEqual([beyond.rows.length, beyond.pagination.total], [0, 3]);
  });

  it('include only rows that the caller may read', async () => {
    assert.deepEqual(await computed('aggregate=count,sum:seats,max:price', 'alice'), [
      { count: 2, sum: { seats: 3 }, max: { price: '0.10' } },
    ]);
    assert.deepEqual(await computed('aggregate=count&groupBy=kind', 'alice'), [
      { kind: null, count: 1 },
      { kind: 'van', count: 1 },
    ]);
    assert.deepEqual(await computed('aggregate=count,sum:seats', 'bob'), [{ count: 0, sum: { seats: null } }]);
    assert.deepEqual(await computed('aggregate=count&groupBy=kind', 'bob'), []);
    assert.deepEqual(await computed('aggregate=count&search=fleet.name:north'), [{ count: 2 }]);
    assert.deepEqual(await computed('aggregate=count&search=fleet.name:north', 'alice'), [{ count: 0 }]);
    assert.deepEqual(await computed('aggregate=count,sum:seats', 'admin', `/v1/fleets/${fleet}/vans`), [
      { count: 2, sum: { seats: 59 } },
    ]);
  });

  it('refuse an invalid aggregate, and list the valid ones', async () => {
    const cases: [string, RegExp][] = [
      ['aggregate=total', /the function "total" .*Allowed: count, sum, avg, min, max/],
      ['aggregate=sum', /sum of the field ""/],
      ['aggregate=sum:kind', /sum of the field "kind" cannot be calculated\. Allowed: seats, weight, price/],
      ['aggregate=sum:secret', /sum of the field "secret" is unknown/],
      ['aggregate=count:seats', /count counts rows and takes no field/],
      ['groupBy=kind', /add aggregate/],
      ['aggregate=count&groupBy=secret', /groupBy: the field "secret"/],
      ['aggregate=count&groupBy=notes', /groupBy: the field "notes"/],
      ['aggregate=count&include=fleet', /leave "include" out/],
      ['aggregate=count&cursor=', /leave "cursor" out/],
      ['aggregate=count&groupBy=kind&orderBy=seats', /the name "seats" .*Allowed: count, kind/],
    ];
    for (const [query, says] of cases) {
      const { status, problem, text: body } = await request('GET', `/v1/vans?${query}`);
      assert.equal(status, 400, body);
      assert.match(problem.detail, says, query);
    }
  });

  it('add integers beyond the range of the database, or report that they cannot', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const rows = Array.from({ length: 2 }, () => ({ seats: most, weight: 1.7e308, kind: 'bus' }));
    const made = await request('POST', '/v1/vans/batches', { json: { rows } });
    assert.equal(made.status, 200, made.text);
    const { text: body } = await request('GET', '/v1/vans?aggregate=sum:seats&search=seats:>1000');
    assert.match(body, /"seats":18014398509481982/);
    const large = await request('GET', '/v1/vans?aggregate=sum:weight&search=seats:>1000');
    assert.equal(large.status, 400, large.text);
    assert.match(large.problem.detail, /too large/);
    await request('DELETE', '/v1/vans/batches', {
      json: { ids: (await request('GET', '/v1/vans?search=seats:>1000')).rows.map(({ id }) => id) },
    });
  });

  it('add more rows than the main thread may scan', async () => {
    const rows = Array.from({ length: 100 }, () => ({ price: '0.01', seats: 1 }));
    for (let n = 0; n < 11; n++)
      assert.equal((await request('POST', '/v1/vans/batches', { json: { rows } })).status, 200);
    const [all] = await computed('aggregate=count,sum:price,sum:seats&search=seats:1');
    assert.deepEqual(all, { count: 1100, sum: { price: '11.00', seats: 1100 } });
  });
});
