import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Type } from 'typebox';
import { onBothEngines } from '../../test/harness/engines.ts';
import { idOf, type ResourceService, resourceServices } from '../../test/harness/resource-service.ts';
import { conflict } from '../platform/errors.ts';
import { action, defineResource } from './declaration/define-resource.ts';
import { integer, text } from './declare.ts';

const prepared: string[] = [];

/** A resource with hooks, overrides, actions, and a value that is shown once. */
const safes = defineResource({
  name: 'safes',
  fields: {
    label: text({ required: true }),
    code: text({ writeOnly: true, virtual: true }),
    code_hash: text({ hidden: true }),
    openings: integer({ readOnly: true, default: 0 }),
  },
  access: { read: 'auth:api', write: 'auth:api' },
  hooks: {
    async prepare(_call, { operation, values }) {
      prepared.push(operation);
      return values.code ? { code_hash: `hash of ${values.code}` } : undefined;
    },
    beforeWrite(_call, { operation, values, before: old }) {
      if (operation === 'delete' && old?.label === 'kept') throw conflict('This one is kept.');
      if (values.label) values.label = values.label.trim();
    },
    afterWrite(call, { operation, after }) {
      if (operation === 'create') call.reveal({ secret: `of ${after?.label}` });
    },
  },
  actions: [
    action({
      name: 'open',
      summary: 'Open a safe',
      body: Type.Object({ code: Type.String() }, { additionalProperties: false }),
      response: Type.Object({ opened: Type.Boolean() }),
      run: ({ row, body }) => ({ opened: row.code_hash === `hash of ${body.code}` }),
    }),
    action({
      name: 'add',
      on: 'collection',
      summary: 'Add',
      body: Type.Object({ a: Type.Integer(), b: Type.Number(), twice: Type.Boolean(), to: Type.Array(Type.String()) }),
      run: ({ body: { a, b, twice, to } }) => ({ sum: (a + b) * (twice ? 2 : 1), to }),
    }),
    action({ name: 'count', method: 'GET', on: 'collection', summary: 'Count', run: ({ caller }) => caller.userId }),
    action({ name: 'silence', on: 'collection', summary: 'Nothing to say', run: () => undefined }),
  ],
});

onBothEngines('Hooks and actions', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  const request: ResourceService['request'] = (...request) => service.request(...request);
  before(async () => {
    service = await start([safes]);
  });

  it('run hooks around the write, and reveal a value in one response only', async () => {
    prepared.length = 0;
    const headers = { 'idempotency-key': 'safe-1' };
    const created = await request('POST', '/v1/safes', { json: { label: ' blue ', code: '1234' }, headers });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.row.label, 'blue');
    assert.equal(created.row.secret, 'of blue');
    assert.equal(created.headers.get('cache-control'), 'no-store');
    assert.ok(!('code_hash' in created.row) && !('code' in created.row));
    const found = await request('GET', `/v1/safes/${created.row.id}`);
    assert.ok(!('secret' in found.row));
    const again = await request('POST', '/v1/safes', { json: { label: ' blue ', code: '1234' }, headers });
    const { secret: _secret, ...shown } = created.row;
    assert.deepEqual(
      [again.status, again.row],
      [201, shown],
      'the response to a retry does not contain the value that is shown once',
    );
    assert.equal(again.headers.get('location'), created.headers.get('location'));
    assert.deepEqual(prepared, ['create'], 'the hook does not run again');
    const kept = await request('PATCH', `/v1/safes/${created.row.id}`, { json: { label: 'kept' } });
    assert.equal(kept.status, 200);
    assert.equal((await request('DELETE', `/v1/safes/${created.row.id}`)).status, 409);
    const stored = await service.context.database.db
      .withTables<{ safes: { code_hash: string } }>()
      .selectFrom('safes')
      .selectAll()
      .execute();
    assert.equal(stored[0]?.code_hash, 'hash of 1234');
  });

  it('serve actions in addition to the generated routes', async () => {
    const { id } = (await request('POST', '/v1/safes', { json: { label: 'red', code: '1' } })).row;
    assert.deepEqual((await request('POST', `/v1/safes/${id}/open`, { json: { code: '1' } })).row, { opened: true });
    assert.deepEqual((await request('POST', `/v1/safes/${id}/open`, { json: { code: '2' } })).row, { opened: false });
    const problem = await request('POST', `/v1/safes/${id}/open`, { json: { codes: '2' } });
    assert.equal(problem.status, 422);
    assert.deepEqual(problem.problem.errors.map(({ field }) => field).sort(), ['code', 'codes']);
    assert.equal((await request('POST', `/v1/safes/${idOf('bob')}/open`, { json: { code: '1' } })).status, 404);
    assert.equal((await request('GET', '/v1/safes/count', { token: 'alice' })).row, idOf('alice'));
    const sum = await request('POST', '/v1/safes/add', { form: { a: '1', b: '0.5', twice: 'true', to: 'x,y' } });
    assert.deepEqual(sum.row, { sum: 3, to: ['x', 'y'] }, sum.text);
    const many = await request('POST', '/v1/safes/add', { form: { a: 'many', b: '1', twice: 'true', to: '' } });
    assert.deepEqual(
      many.problem.errors.map(({ field }) => field),
      ['a'],
    );
    assert.equal((await request('POST', '/v1/safes/silence')).status, 204);
    assert.equal((await request('POST', '/v1/safes/silence', { token: 'alice-safes:read' })).status, 403);
  });
});
