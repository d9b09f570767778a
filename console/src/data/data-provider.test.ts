import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeService, problem, type Reply, type Seen } from '../../../client/fake-service.ts';
import { createGatehouse } from '../../../client/gatehouse.ts';
import { createDataProvider } from './data-provider.ts';
import { ConflictError, FormError } from './form-error.ts';

const page = (data: object[], pagination: object = { total: data.length }): Reply => ({
  body: { data, meta: { pagination: { count: data.length, per_page: 25, ...pagination } } },
});

async function provider(response: (seen: Seen) => Reply) {
  const { url, seen } = await fakeService(response);
  return { seen, data: createDataProvider(createGatehouse({ baseUrl: url, accessToken: 't', retryDelays: [] })) };
}

const parameters = (seen: Seen | undefined) =>
  Object.fromEntries(new URL(seen?.path ?? '', 'http://x').searchParams.entries());

const listParams = { pagination: { page: 2, perPage: 25 }, sort: { field: 'plate', order: 'DESC' as const } };

test('getList asks by page, order and search', async () => {
  const { data, seen } = await provider(() => page([{ id: '1' }], { total: 26 }));
  const filter = { 'plate@contains': 'B;1', color: 'red', 'seats@range': { from: 2, to: 5 }, nothing: '' };
  const response = await data.getList('cars', { ...listParams, filter });
  assert.deepEqual(response, { data: [{ id: '1' }], total: 26 });
  assert.deepEqual(parameters(seen[0]), {
    search: 'plate:*B\\;1*;color:red;seats:>=2;seats:<=5',
    searchJoin: 'and',
    orderBy: 'plate',
    sortedBy: 'desc',
    page: '2',
    limit: '25',
  });
});

test('a list that was not counted to its end says only whether there is more', async () => {
  const { data } = await provider(() =>
    page([{ id: '1' }], { total: 10_000, total_capped: true, current_page: 2, links: { next: '/v1/cars?page=3' } }),
  );
  const response = await data.getList('cars', { ...listParams, filter: {} });
  assert.deepEqual(response, {
    data: [{ id: '1' }],
    meta: { atLeast: 10_000 },
    pageInfo: { hasNextPage: true, hasPreviousPage: true },
  });
});

test('days are asked for from midnight to midnight of the person', async () => {
  const { data, seen } = await provider(() => page([]));
  const filter = { 'created_at@days': { from: '2026-03-01', to: '2026-03-31' } };
  await data.getList('events', { ...listParams, filter });
  const [from, to] = [new Date(2026, 2, 1), new Date(2026, 3, 1)];
  assert.equal(parameters(seen[0]).search, `created_at:>=${from.toISOString()};created_at:<${to.toISOString()}`);
});

test('getMany asks for all at once, a hundred at most a call, and each once', async () => {
  const { data, seen } = await provider((call) =>
    page(
      (parameters(call).search ?? '')
        .slice(3)
        .split(',')
        .map((id) => ({ id })),
    ),
  );
  const ids = Array.from({ length: 150 }, (_, i) => `id-${i}`);
  const response = await data.getMany('cars', { ids: [...ids, 'id-3'] });
  assert.deepEqual(
    response.data.map(({ id }) => id),
    ids,
  );
  assert.equal(seen.length, 2);
  assert.deepEqual((await data.getMany('cars', { ids: [] })).data, []);
  assert.equal(seen.length, 2, 'nothing asked for needs no call');
});

test('related rows are read at the nested address', async () => {
  const { data, seen } = await provider(() => page([{ id: '1' }]));
  await data.getManyReference('cars', { ...listParams, target: 'owners/cars', id: '7', filter: {} });
  assert.match(seen[0]?.path ?? '', /^\/v1\/owners\/7\/cars\?/);
});

test('update sends what changed and the version that was seen', async () => {
  const { data, seen } = await provider(({ method }) => ({
    headers: { etag: method === 'GET' ? '"seen"' : '"new"' },
    body: { data: { id: '1', plate: 'B 1', seats: 4, tags: ['a'] } },
  }));
  const { data: row } = await data.getOne('cars', { id: '1' });
  const updated = await data.update('cars', { id: '1', data: { ...row, seats: 5, tags: ['a'] }, previousData: row });
  assert.equal(seen[1]?.method, 'PATCH');
  assert.deepEqual(seen[1]?.body, { seats: 5 });
  assert.equal(seen[1]?.headers['if-match'], '"seen"');
  assert.equal(updated.data._etag, '"new"');
  await data.update('cars', { id: '1', data: { ...row }, previousData: row });
  assert.equal(seen.length, 2, 'nothing changed, nothing to send');
});

test('a row that somebody else changed meanwhile is refused with both what was seen and what was to be written', async () => {
  const { data } = await provider(() => problem(412, 'precondition_failed'));
  const previousData = { id: '1', seats: 4, _etag: '"old"' };
  await assert.rejects(data.update('cars', { id: '1', data: { ...previousData, seats: 5 }, previousData }), (error) => {
    assert.ok(error instanceof ConflictError);
    assert.deepEqual([error.status, error.changes, error.before], [412, { seats: 5 }, previousData]);
    return true;
  });
});

test('wrong fields reach the form by name', async () => {
  const errors = [
    { field: 'plate', code: 'unique', message: 'plate is taken.' },
    { field: 'plate', code: 'max', message: 'plate is too long.' },
  ];
  const { data } = await provider(() => problem(422, 'validation_failed', { errors }));
  await assert.rejects(data.create('cars', { data: { plate: 'x' } }), (error) => {
    assert.ok(error instanceof FormError);
    assert.deepEqual(error.body, { errors: { plate: 'plate is taken.' } });
    return true;
  });
});
