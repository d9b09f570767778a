import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import { onBothEngines } from '../../test/harness/engines.ts';
import { cars, garage } from '../../test/harness/garage.ts';
import { type ResourceService, resourceServices } from '../../test/harness/resource-service.ts';
import { listParameters } from './query/list-query.ts';

const fieldNames = ['id', 'created_at', 'version', 'owner', '', '*', ...Object.keys(cars.fields)];
const pieces = fc.constantFrom(
  ...fieldNames,
  ...[':', ';', ',', '*', '\\', '>', '>=', '<', '!=', '=', 'null', 'asc', 'desc', 'like', 'in', 'or', '.', 'drivers'],
  ...[
    "'",
    '"',
    '%',
    '_',
    '0',
    '-1',
    '1e9',
    '99999999999999999999',
    'true',
    '2026-01-01',
    'red',
    '🚗',
    '\u0130',
    '\uffff',
  ],
);
const texts = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
const parameters = fc.constantFrom(...listParameters);
const queries = fc.dictionary(parameters, texts, { maxKeys: 4 });
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>('', 'red', '2026-01-01', -0, 1e308, 2 ** 53, [], {}, [['a']], '2026-01-01T00:00:00Z'),
);
const bodies = fc.dictionary(fc.constantFrom(...fieldNames), anything, { maxKeys: 6 });

onBothEngines('Arbitrary input', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let path: string;
  before(async () => {
    service = await start(garage);
    const owner = (await service.request('POST', '/v1/owners', { json: { name: 'Ada' } })).row;
    const car = await service.request('POST', '/v1/cars', { json: { plate: 'A', owner_id: owner.id } });
    path = `/v1/cars/${car.row.id}`;
  });
  const expect = (statuses: number[], { status, text }: { status: number; text: string }, sent: unknown) =>
    assert.ok(statuses.includes(status), `${status} ${text} to ${JSON.stringify(sent)}`);

  it('in a query is answered or refused with a reason', async () => {
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const response = await service.request('GET', `/v1/cars?${new URLSearchParams(query)}`);
        expect([200, 400], response, query);
        if (response.status === 400) assert.ok(response.problem.detail.length > 10);
      }),
      { numRuns: 300 },
    );
  });

  it('in a body is accepted, or refused with the invalid fields', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom('POST', 'PUT', 'PATCH'), async (json, method) => {
        const response = await service.request(method, method === 'POST' ? '/v1/cars' : path, { json });
        expect([200, 201, 400, 422], response, json);
        if (response.status === 422) assert.ok(response.problem.errors.length > 0);
      }),
      { numRuns: 200 },
    );
  });
});
