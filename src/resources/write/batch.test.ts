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

onBothEngines('/v1/<resources>/batches', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let owner: string;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
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
    owner = (await service.request('POST', '/v1/owners', { json: { name: 'Ada' } })).row.id;
  });
  const car = (plate: string, more: object = {}) => ({ plate, owner_id: owner, ...more });
  const path = '/v1/cars/batches';
  type Method = 'POST' | 'PATCH' | 'DELETE';
  const batch = async (method: Method, json: object, options: object = {}): Promise<readonly Result[]> => {
    const response = await service.request(method, path, { json, ...options });
    assert.equal(response.status, 200, response.text);
    return JSON.parse(response.text).data;
  };
  const statuses = (results: readonly Result[]) => results.map(({ status }) => status);
  const platesLike = async (text: string) =>
    (await service.request('GET', `/v1/cars?search=plate:${text}*&orderBy=plate`)).rows.map(({ plate }) => plate);

  it('creates, changes and deletes rows by the method, and responds to each row as to a single request', async () => {
    const [first, bad, second] = await batch('POST', {
      rows: [car('B-1'), { plate: 'B-2', colour: 1 }, car('B-3', { seats: 4 })],
    });
    assert.deepEqual([first?.status, bad?.status, second?.status], [201, 422, 201]);
    assert.ok(bad?.error?.errors?.some(({ field }) => field === 'colour'));
    const alone = await service.request('GET', `/v1/cars/${first?.data?.id}`);
    assert.deepEqual([first?.data, first?.etag], [alone.row, alone.headers.get('etag')]);
    const nobody = '0199d0a0-7c00-7000-8000-000000000000';
    const changed = await batch('PATCH', {
      rows: [
        { id: first?.data?.id, seats: 3, if_match: first?.etag },
        { id: second?.data?.id, seats: 3, if_match: first?.etag?.replace('1', '9') },
        { id: nobody, seats: 3 },
      ],
    });
    assert.deepEqual(statuses(changed), [200, 412, 404]);
    assert.equal(changed[0]?.data?.seats, 3);
    assert.deepEqual(statuses(await batch('DELETE', { ids: [second?.data?.id, nobody] })), [204, 404]);
    const more = await batch('POST', { rows: [car('B-4'), car('B-5')] });
    const form = `ids=${more.map(({ data }) => data?.id).join(', ')}`;
    const byForm = await service.request('DELETE', path, { form });
    assert.deepEqual(statuses(JSON.parse(byForm.text).data), [204, 204], byForm.text);
    assert.deepEqual(await platesLike('B-'), ['B-1']);
  });

  it('writes each row once when a batch is repeated with its key', async () => {
    const headers = { 'idempotency-key': 'import-7' };
    const rows = [car('K-1'), car('K-2')];
    const once = await batch('POST', { rows }, { headers });
    assert.deepEqual(await batch('POST', { rows }, { headers }), once);
    assert.deepEqual(await platesLike('K-'), ['K-1', 'K-2']);
    const [other] = await batch('POST', { rows: [car('K-3')] }, { headers });
    assert.equal(other?.error?.code, 'idempotency_key_reused');
    const changes = { rows: [{ id: once[0]?.data?.id, seats: 7, if_match: once[0]?.etag }] };
    const changed = await batch('PATCH', changes, { headers });
    assert.deepEqual(statuses(changed), [200]);
    assert.deepEqual(await batch('PATCH', changes, { headers }), changed);
    const ids = { ids: [once[1]?.data?.id] };
    for (const _ of ['first', 'again']) assert.deepEqual(statuses(await batch('DELETE', ids, { headers })), [204]);
  });

  it('writes nothing if the batch is invalid, and names the mistake', async () => {
    const [created] = await batch('POST', { rows: [car('R-1')] });
    const id = created?.data?.id;
    const wrong: [Method, object, string][] = [
      ['POST', { rows: [] }, 'rows'],
      ['PATCH', { rows: [] }, 'rows'],
      ['DELETE', { ids: [] }, 'ids'],
      ['DELETE', { ids: Array.from({ length: 101 }, (_, n) => `${n}`) }, 'ids'],
      ['POST', { rows: [car('R-2'), 7] }, 'rows.1'],
      ['PATCH', { rows: [{ seats: 3 }] }, 'rows.0.id'],
      ['PATCH', { rows: [{ id, if_match: 1 }] }, 'rows.0.if_match'],
      ['PATCH', { rows: [{ id }, { id }] }, 'rows.1.id'],
      ['DELETE', { ids: [7] }, 'ids.0'],
      ['DELETE', { ids: [id, id] }, 'ids.1'],
      ['DELETE', { ids: [id], force: true }, 'force'],
    ];
    for (const [method, json, field] of wrong) {
      const { status, problem, text } = await service.request(method, path, { json });
      assert.equal(status, 422, text);
      assert.equal(problem.errors[0]?.field, field);
    }
    for (const json of [undefined, [], { rows: {} }, { rows: 'x' }, { ids: [id] }]) {
      assert.equal((await service.request('POST', path, { json })).status, 400);
    }
    assert.equal((await service.request('DELETE', path, { json: { rows: [id] } })).status, 400);
    assert.equal((await service.request('POST', `${path}?dry=1`, { json: { rows: [] } })).status, 400);
    assert.deepEqual(await platesLike('R-'), ['R-1']);
  });

  it('allows nothing that single requests would refuse', async () => {
    const options = (token: string) => ({ json: { ids: [owner] }, token });
    assert.equal((await service.request('DELETE', '/v1/owners/batches', options('bob-owners:read'))).status, 403);
    const response = await service.request('DELETE', '/v1/owners/batches', options('bob'));
    assert.deepEqual(statuses(JSON.parse(response.text).data), [404], 'bob may not see the row');
    assert.equal((await service.request('GET', `/v1/owners/${owner}`)).status, 200);
  });

  it('deletes nothing by POST', async () => {
    const [created] = await batch('POST', { rows: [car('P-1')] });
    const sent = { operations: [{ operation: 'delete', id: created?.data?.id }] };
    assert.equal((await service.request('POST', path, { json: sent })).status, 400);
    assert.equal((await service.request('POST', '/v1/cars/batch', { json: sent })).status, 405);
    assert.deepEqual(await platesLike('P-'), ['P-1']);
  });

  it('accepts one batch at a time from one caller', async () => {
    const note = (text: string, token = 'admin') =>
      service.request('POST', '/v1/notes/batches', { json: { rows: [{ text }] }, token });
    const first = note('held');
    await begun;
    const second = await note('too soon');
    assert.deepEqual([second.status, second.headers.get('retry-after')], [429, '1']);
    assert.equal((await note('of another', 'bob')).status, 200);
    release();
    assert.equal((await first).status, 200);
    assert.equal((await note('the next')).status, 200);
  });

  it('responds 405 to other methods', async () => {
    for (const method of ['GET', 'PUT'] as const) {
      const response = await service.request(method, path, method === 'PUT' ? { json: car('B-9') } : {});
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'DELETE, OPTIONS, PATCH, POST'], method);
    }
  });
});
