import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { checkDefinitions } from '../../extensions/declaration-checks/check-definitions.ts';
import { onBothEngines } from '../../test/harness/engines.ts';
import { idOf, type ResourceService, resourceServices } from '../../test/harness/resource-service.ts';
import * as declare from './declare.ts';

/** An action that waits in the middle. */
const held = { begin: () => {}, end: Promise.resolve() };
const untilReleased = () => {
  held.begin();
  return held.end;
};

const { action, anyOf, defineResource, integer, owner, role, text, Type, uuid } = declare;

const problems = {
  badRequest: () => declare.badRequest('No.', 'no_such_day'),
  forbidden: () => declare.forbidden('No.'),
  notFound: () => declare.notFound('No.'),
  conflict: () => declare.conflict('No.', 'sold'),
  preconditionFailed: () => declare.preconditionFailed('No.'),
  unprocessable: () => declare.unprocessable([{ field: 'price', code: 'low', message: 'Too low.' }]),
  tooManyRequests: () => declare.tooManyRequests('No.', 7),
  unavailable: () => declare.unavailable('No.', 7, 'a reason for the log'),
  problem: () => new declare.Problem(402, 'Payment Required', 'No.', { code: 'unpaid' }),
  bug: () => new Error('a secret of the code'),
};

/** Every user may read every lot. Owners may write their own lots, administrators all of them. */
const lots = defineResource({
  name: 'lots',
  fields: {
    title: text({ required: true }),
    user_id: uuid({ default: ({ caller }) => caller.userId ?? '' }),
    stamps: integer({ readOnly: true }),
    note: text({ hidden: true }),
  },
  access: { read: 'public', write: anyOf(role('admin'), owner('user_id')) },
  actions: [
    action({ name: 'stamp', summary: 'Stamp', access: role('admin'), run: ({ row }) => row.title }),
    action({ name: 'visit', summary: 'Visit', access: 'auth:api', run: ({ caller }) => caller.userId }),
    action({ name: 'sell', summary: 'Sell', access: owner('user_id'), run: ({ change }) => change({ title: 'sold' }) }),
    action({
      name: 'rename',
      summary: 'Rename, after a pause',
      async run({ change }) {
        await untilReleased();
        return change({ title: 'renamed' });
      },
    }),
    action({
      name: 'copy',
      summary: 'Copy, after a pause',
      async run({ transaction }) {
        await untilReleased();
        await transaction((call) => call.resource('lots', { as: 'service' }).create({ title: 'copied' }));
      },
    }),
    action({
      name: 'label',
      summary: 'Label',
      body: Type.Object({ values: Type.Unknown() }),
      run: ({ body, change }) => change(Object(body.values)),
    }),
    action({ name: 'seal', summary: 'Seal', access: 'nobody', run: () => 1 }),
    action({ name: 'look', summary: 'Look', access: 'public', run: ({ row }) => row.title }),
    action({ name: 'audit', on: 'collection', summary: 'Audit all', run: () => 'audited' }),
    action({ name: 'tally', method: 'GET', on: 'collection', summary: 'Tally', access: role('admin'), run: () => 1 }),
    action({ name: 'count', method: 'GET', on: 'collection', summary: 'Count', run: ({ caller }) => caller.kind }),
    action({ name: 'bid', on: 'collection', summary: 'Bid', access: 'auth:api', run: ({ caller }) => caller.userId }),
    action({
      name: 'pay',
      on: 'collection',
      access: 'auth:api',
      summary: 'Pay',
      body: Type.Object({
        method: Type.Union([Type.Literal('cash'), Type.Literal('card')]),
        amount: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
        to: Type.Optional(
          Type.Union([
            Type.Object({ kind: Type.Literal('iban'), iban: Type.String() }),
            Type.Object({ kind: Type.Literal('mail'), mail: Type.String() }),
          ]),
        ),
      }),
      run: ({ body }) => body.method,
    }),
    action({
      name: 'refuse',
      on: 'collection',
      access: 'auth:api',
      summary: 'Refuse',
      body: Type.Object({ how: Type.String() }),
      run({ body }) {
        throw problems[body.how as keyof typeof problems]();
      },
    }),
  ],
});

onBothEngines('Actions', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  const request: ResourceService['request'] = (...request) => service.request(...request);
  const statuses = async (method: string, path: string) => {
    const tokens = [null, 'alice', 'bob', 'admin'];
    const statusList: number[] = [];
    for (const token of tokens) statusList.push((await request(method, path, { token })).status);
    return statusList;
  };
  before(async () => {
    service = await start([lots]);
  });

  it('apply a separate rule to the row', async () => {
    const { id } = (await request('POST', '/v1/lots', { token: 'alice', json: { title: 'a' } })).row;
    assert.deepEqual(await statuses('POST', `/v1/lots/${id}/stamp`), [401, 403, 403, 200]);
    assert.deepEqual(await statuses('POST', `/v1/lots/${id}/visit`), [401, 200, 200, 200]);
    assert.deepEqual(await statuses('POST', `/v1/lots/${id}/sell`), [401, 200, 403, 403]);
    assert.deepEqual(await statuses('POST', `/v1/lots/${id}/seal`), [401, 403, 403, 403]);
    assert.deepEqual(await statuses('POST', `/v1/lots/${id}/look`), [200, 200, 200, 200]);
    const missing = await request('POST', `/v1/lots/${idOf('bob')}/stamp`, { token: 'admin' });
    assert.equal(missing.status, 404);
    const narrow = await request('POST', `/v1/lots/${id}/visit`, { token: 'bob-lots:read' });
    assert.equal(narrow.status, 403, 'the scope is required as well');
  });

  it('validate the fields that they write, and may set read-only and hidden ones', async () => {
    const { id } = (await request('POST', '/v1/lots', { token: 'alice', json: { title: 'a' } })).row;
    const label = (values: object) => request('POST', `/v1/lots/${id}/label`, { token: 'alice', json: { values } });
    for (const [values, field, code] of [
      [{ title: 'x'.repeat(256) }, 'title', 'maxLength'],
      [{ title: null }, 'title', 'required'],
      [{ title: 5 }, 'title', 'type'],
      [{ titel: 'b' }, 'titel', 'unknown'],
      [{ stamps: 'three' }, 'stamps', 'type'],
    ] as const) {
      const { status, problem } = await label(values);
      const [error] = problem.errors ?? [];
      assert.deepEqual([status, error?.field, error?.code], [422, field, code]);
    }
    const { status, row } = await label({ title: 'b', stamps: 3, note: 'n' });
    assert.deepEqual([status, row.title, row.stamps, 'note' in row], [200, 'b', 3, false]);
  });

  it('write nothing if the row was transferred while they ran', async () => {
    for (const name of ['rename', 'copy']) {
      const { id } = (await request('POST', '/v1/lots', { token: 'alice', json: { title: 'a' } })).row;
      let release = () => {};
      held.end = new Promise((resolve) => {
        release = resolve;
      });
      const begun = new Promise<void>((resolve) => {
        held.begin = resolve;
      });
      const running = request('POST', `/v1/lots/${id}/${name}`, { token: 'alice' });
      await begun;
      const transferred = await request('PATCH', `/v1/lots/${id}`, { json: { user_id: idOf('bob') } });
      release();
      assert.equal(transferred.status, 200);
      assert.deepEqual([(await running).status, name], [403, name]);
      assert.equal((await request('GET', `/v1/lots/${id}`)).row.title, 'a');
      assert.equal((await request('POST', `/v1/lots/${id}/${name}`, { token: 'bob' })).status < 300, true);
    }
    const titles = (await request('GET', '/v1/lots?limit=100')).rows.map(({ title }) => title);
    assert.equal(titles.filter((title) => title === 'copied').length, 1, 'only by the new owner');
  });

  it('on a collection are allowed only if the rule is true for every row', async () => {
    assert.deepEqual(await statuses('POST', '/v1/lots/audit'), [401, 403, 403, 200]);
    assert.deepEqual(await statuses('GET', '/v1/lots/tally'), [401, 403, 403, 200]);
    assert.deepEqual(await statuses('GET', '/v1/lots/count'), [200, 200, 200, 200]);
    assert.deepEqual(await statuses('POST', '/v1/lots/bid'), [401, 200, 200, 200]);
  });

  it('refuse unknown members', async () => {
    const body = await request('POST', '/v1/lots/refuse', { json: { how: 'conflict', now: true } });
    assert.deepEqual([body.status, body.problem.errors[0]?.field], [422, 'now']);
    assert.equal((await request('POST', '/v1/lots/audit?dry=1')).status, 400);
  });

  it('list the allowed values of a union', async () => {
    const messages = async (json: object) => {
      const { status, problem } = await request('POST', '/v1/lots/pay', { json });
      assert.equal(status, 422);
      return Object.fromEntries(problem.errors.map(({ field, message }) => [field, message]));
    };
    assert.deepEqual(await messages({ method: 'gold' }), { method: 'method must be one of: cash, card.' });
    const { to, ...other } = await messages({ method: 'cash', to: { kind: 'post' } });
    assert.equal(to, 'to has none of the forms that are accepted here.');
    assert.equal(other['to.kind'], 'to.kind must be one of: iban, mail.');
    assert.match((await messages({ method: 'cash', amount: 'much' })).amount ?? '', /^amount must be number/);
  });

  it('respond with the problem that they throw', async () => {
    const responses = [];
    for (const how of Object.keys(problems)) {
      const { status, problem, headers, text } = await request('POST', '/v1/lots/refuse', { json: { how } });
      assert.equal(headers.get('content-type'), 'application/problem+json', how);
      assert.doesNotMatch(text, /secret of the code|reason for the log/);
      responses.push([status, problem.code, headers.get('retry-after')]);
    }
    assert.deepEqual(responses, [
      [400, 'no_such_day', null],
      [403, 'forbidden', null],
      [404, 'not_found', null],
      [409, 'sold', null],
      [412, 'precondition_failed', null],
      [422, 'validation_failed', null],
      [429, 'too_many_requests', '7'],
      [503, 'unavailable', '7'],
      [402, 'unpaid', null],
      [500, 'internal_error', null],
    ]);
  });
});

describe('An action of a collection', () => {
  it('is refused at the start if its rule needs a row, because no caller would pass it', () => {
    const fields = { user_id: uuid() };
    const mine = owner('user_id');
    const declared = (access: 'write' | undefined | typeof mine) =>
      defineResource({
        name: 'bids',
        fields,
        access: { read: 'auth:api', write: mine },
        actions: [
          action({ name: 'draw', on: 'collection', summary: 'Draw', ...(access ? { access } : {}), run: () => 1 }),
        ],
      });
    for (const access of [undefined, 'write', mine] as const) {
      assert.throws(() => checkDefinitions([declared(access)]), /bids: actions\.draw\.access: .*depends on a row/);
    }
  });
});
