import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { idOf, type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';
import { anyOf, defineResource, hasMany, manyToMany, owner, reference, role, text, uuid } from '../declare.ts';

/** Records each call of a hook. */
const worked: string[] = [];

const letters = defineResource({
  name: 'letters',
  fields: {
    subject: text({ required: true }),
    user_id: uuid({ default: ({ caller }) => caller.userId }),
  },
  relations: { stamps: manyToMany('stamps', { through: 'franks', from: 'letter_id', to: 'stamp_id' }) },
  access: { read: anyOf(role('admin'), owner('user_id')), write: role('admin'), create: 'auth:api' },
  hooks: {
    prepare(_call, { operation, values }) {
      worked.push(`${operation} ${values.subject}`);
      return undefined;
    },
  },
});
const stamps = defineResource({
  name: 'stamps',
  fields: { name: text({ required: true }) },
  access: { read: 'auth:api', write: 'auth:api' },
  hooks: {
    prepare(_call, { operation, values }) {
      worked.push(`${operation} ${values.name}`);
      return undefined;
    },
  },
});
const franks = defineResource({
  name: 'franks',
  fields: { letter_id: reference('letters', { required: true }), stamp_id: reference('stamps', { required: true }) },
  access: { read: 'auth:api', write: role('admin') },
});
const seals = defineResource({
  name: 'seals',
  fields: { name: text({ required: true }) },
  relations: { prints: hasMany('prints', { by: 'seal_id' }) },
  access: { read: 'auth:api', write: role('admin') },
  hooks: {
    prepare(_call, { values }) {
      worked.push(`seal ${values.name}`);
      return undefined;
    },
  },
});
const prints = defineResource({
  name: 'prints',
  fields: { seal_id: reference('seals', { required: true }) },
  access: { read: 'auth:api', write: 'auth:api' },
});

onBothEngines('The prepare hook', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let letter: string;
  before(async () => {
    service = await start([letters, stamps, franks, seals, prints]);
    const created = await service.request('POST', '/v1/letters', { json: { subject: 'made' }, token: 'alice' });
    letter = created.row.id;
    worked.length = 0;
  });
  const status = async (method: string, path: string, token: string, json: object) =>
    (await service.request(method, path, { token, json })).status;

  it('does not run for a caller who may not create a row', async () => {
    assert.equal(await status('POST', '/v1/seals', 'alice', { name: 'hers' }), 403);
    assert.deepEqual(worked, []);
    assert.equal(await status('POST', '/v1/seals', 'admin', { name: 'his' }), 201);
    assert.deepEqual(worked.splice(0), ['seal his']);
  });

  it('does not run for a caller who may not see or change the row', async () => {
    for (const method of ['PATCH', 'PUT']) {
      assert.equal(await status(method, `/v1/letters/${letter}`, 'bob', { subject: 'his' }), 404);
      assert.equal(await status(method, `/v1/letters/${letter}`, 'alice', { subject: 'hers' }), 403);
      assert.equal(await status(method, `/v1/letters/${idOf('bob')}`, 'admin', { subject: 'none' }), 404);
    }
    assert.deepEqual(worked, []);
    assert.equal(await status('PATCH', `/v1/letters/${letter}`, 'admin', { subject: 'read' }), 200);
    assert.deepEqual(worked.splice(0), ['update read']);
  });

  it('does not run for a caller who may not link the row to its parent', async () => {
    assert.equal(await status('POST', `/v1/letters/${letter}/stamps`, 'alice', { name: 'hers' }), 403);
    assert.equal(await status('POST', `/v1/letters/${letter}/stamps`, 'bob', { name: 'his' }), 404);
    assert.deepEqual(worked, []);
    assert.equal(await status('POST', `/v1/letters/${letter}/stamps`, 'admin', { name: 'blue' }), 201);
    assert.deepEqual(worked.splice(0), ['create blue']);
  });

  it('does not run again for a retry', async () => {
    const again = { headers: { 'idempotency-key': 'once' }, json: { subject: 'once' }, token: 'alice' };
    const first = await service.request('POST', '/v1/letters', again);
    const second = await service.request('POST', '/v1/letters', again);
    assert.deepEqual([first.status, second.status, second.text], [201, 201, first.text]);
    assert.deepEqual(worked.splice(0), ['create once']);
    assert.equal((await service.request('DELETE', `/v1/letters/${first.row.id}`)).status, 204);
    const gone = await service.request('POST', '/v1/letters', again);
    assert.deepEqual([gone.status, gone.problem.code], [410, 'gone']);
    assert.deepEqual(worked, []);
  });
});
