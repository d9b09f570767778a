import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { garage } from '../../../test/harness/garage.ts';
import { type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { text } from '../declare.ts';

interface Result {
  readonly status: number;
  readonly etag?: string;
  readonly data?: { readonly id: string } & Record<string, unknown>;
  readonly error?: { readonly code: string; readonly errors?: readonly { readonly field: string }[] };
}

onBothEngines('POST /v1/<resources>/batch', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let owner: string;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
  const notes = defineResource({
    name: 'notes',
    fields: { text: text() },
    access: { read: 'auth:api', write: 'auth:api' },
    hooks: {
      async prepare(_call, { values }) {
        if (values.text !== 'held') return;
        begin();
        await held;
      },
    },
  });
  before(async () => {
    service = await start([...garage, notes]);
    owner = (await service.ask('POST', '/v1/owners', { json: { name: 'Ada' } })).row.id;
  });
  const car = (plate: string, more: object = {}) => ({ plate, owner_id: owner, ...more });
  const send = (operations: readonly object[], question: object = {}) =>
    service.ask('POST', '/v1/cars/batch', { json: { operations }, ...question });
  const batch = async (operations: readonly object[], question: object = {}): Promise<readonly Result[]> => {
    const answer = await send(operations, question);
    assert.equal(answer.status, 200, answer.text);
    return JSON.parse(answer.text).data;
  };
  const statuses = (results: readonly Result[]) => results.map(({ status }) => status);
  const platesLike = async (text: string) =>
    (await service.ask('GET', `/v1/cars?search=plate:${text}*&orderBy=plate`)).rows.map(({ plate }) => plate);

  it('answers each operation as a request for it alone, in the order they were sent', async () => {
    const [first, bad, second] = await batch([
      { operation: 'create', data: car('B-1') },
      { operation: 'create', data: { plate: 'B-2', colour: 1 } },
      { operation: 'create', data: car('B-3', { seats: 4 }) },
    ]);
    assert.deepEqual([first?.status, bad?.status, second?.status], [201, 422, 201]);
    assert.ok(bad?.error?.errors?.some(({ field }) => field === 'colour'));
    const alone = await service.ask('GET', `/v1/cars/${first?.data?.id}`);
    assert.deepEqual([first?.data, first?.etag], [alone.row, alone.headers.get('etag')]);
    const results = await batch([
      { operation: 'update', id: first?.data?.id, data: { seats: 3 }, if_match: first?.etag },
      { operation: 'update', id: second?.data?.id, data: { seats: 3 }, if_match: first?.etag?.replace('1', '9') },
      { operation: 'delete', id: '0199d0a0-7c00-7000-8000-000000000000' },
    ]);
    assert.deepEqual(statuses(results), [200, 412, 404]);
    assert.equal(results[0]?.data?.seats, 3);
    assert.deepEqual(statuses(await batch([{ operation: 'delete', id: second?.data?.id }])), [204]);
    assert.deepEqual(await platesLike('B-'), ['B-1']);
    const replaced = await batch([{ operation: 'replace', id: first?.data?.id, data: car('B-9') }]);
    assert.deepEqual([statuses(replaced), await platesLike('B-')], [[200], ['B-9']]);
  });

  it('makes each row once when it is sent again under its key', async () => {
    const headers = { 'idempotency-key': 'import-7' };
    const operations = ['K-1', 'K-2'].map((plate) => ({ operation: 'create', data: car(plate) }));
    const once = await batch(operations, { headers });
    assert.deepEqual(await batch(operations, { headers }), once);
    assert.deepEqual(await platesLike('K-'), ['K-1', 'K-2']);
    const [other] = await batch([{ operation: 'create', data: car('K-3') }], { headers });
    assert.equal(other?.error?.code, 'idempotency_key_reused');
  });

  it('does nothing of a batch that cannot be read, and says what is wrong with it', async () => {
    const [made] = await batch([{ operation: 'create', data: car('R-1') }]);
    const id = made?.data?.id;
    const wrong: [readonly object[], string][] = [
      [[], 'operations'],
      [Array.from({ length: 101 }, () => ({ operation: 'delete', id: 'x' })), 'operations'],
      [[{ operation: 'upsert', id }], 'operations.0.operation'],
      [[{ operation: 'delete' }], 'operations.0.id'],
      [[{ operation: 'update', id }], 'operations.0.data'],
      [[{ operation: 'create', id, data: car('R-2') }], 'operations.0.id'],
      [[{ operation: 'delete', id, force: true }], 'operations.0'],
      [
        [
          { operation: 'update', id, data: {} },
          { operation: 'delete', id },
        ],
        'operations.1.id',
      ],
    ];
    for (const [operations, field] of wrong) {
      const { status, problem, text } = await send(operations);
      assert.equal(status, 422, text);
      assert.equal(problem.errors[0]?.field, field);
    }
    for (const json of [undefined, [], { operations: {} }, { operations: 'x' }]) {
      assert.equal((await service.ask('POST', '/v1/cars/batch', { json })).status, 400);
    }
    assert.equal((await service.ask('POST', '/v1/cars/batch?dry=1', { json: { operations: [] } })).status, 400);
    assert.deepEqual(await platesLike('R-'), ['R-1']);
  });

  it('lets nobody do more than by single requests', async () => {
    const operations = [{ operation: 'delete', id: owner }];
    const question = (token: string) => ({ json: { operations }, token });
    assert.equal((await service.ask('POST', '/v1/owners/batch', question('bob-owners:read'))).status, 403);
    const answer = await service.ask('POST', '/v1/owners/batch', question('bob'));
    assert.deepEqual(statuses(JSON.parse(answer.text).data), [404], 'bob may not see it');
    assert.equal((await service.ask('GET', `/v1/owners/${owner}`)).status, 200);
  });

  it('leaves the word to rows where it is no batch', async () => {
    assert.equal((await service.ask('GET', '/v1/cars/batch')).status, 404);
    assert.equal((await service.ask('DELETE', '/v1/cars/batch')).status, 404);
  });

  it('takes one batch of a caller at a time', async () => {
    const note = (text: string, token = 'admin') =>
      service.ask('POST', '/v1/notes/batch', {
        json: { operations: [{ operation: 'create', data: { text } }] },
        token,
      });
    const first = note('held');
    await begun;
    const second = await note('too soon');
    assert.deepEqual([second.status, second.headers.get('retry-after')], [429, '1']);
    assert.equal((await note('of another', 'bob')).status, 200);
    goOn();
    assert.equal((await first).status, 200);
    assert.equal((await note('the next')).status, 200);
  });
});
