import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { uuidv7 } from '../../src/database/uuid.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type RequestOptions, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const project = fileURLToPath(new URL('project', import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: the type depends on the route.
type Result = { result: any; errors?: { field: string }[]; detail?: string };

onBothEngines('resource() in custom code', (engine) => {
  const start = services(engine);
  let service: Service;
  const lines: string[] = [];
  const tokens = new Map<string, string>();
  const ids = new Map<string, string>();
  const logIn = async (email: string, secret = password) => {
    const form = { email, password: secret };
    return String((await request(service, '/v1/clients/web/admin/login', { form })).body.access_token);
  };
  before(async () => {
    const env = {
      RESOURCES_DIR: join(project, 'resources'),
      ROUTES_DIR: join(project, 'routes'),
      ROLES: 'admin,vet',
    };
    service = await start({ env, log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }) });
    tokens.set('admin', await logIn('admin@example.com', 'correct horse battery'));
    for (const name of ['ada', 'bob', 'vet']) {
      const { id, email } = await addLogin(service, name === 'vet' ? { roles: ['vet'] } : {});
      ids.set(name, id);
      tokens.set(name, await logIn(email));
    }
  });
  const api = <T = Record<string, unknown>>(who: string, method: string, path: string, options: RequestOptions = {}) =>
    request<T>(service, path, { method, token: tokens.get(who) ?? null, ...options });
  const call = (who: string, json: Record<string, unknown>) =>
    api<Result>(who, 'POST', '/v1/resource-calls', { json: { resource: 'bills', as: 'service', ...json } });
  const events = async (type: string) =>
    service.context.database.db.selectFrom('events').selectAll().where('type', '=', type).execute();
  const changes = async (resource: string) =>
    service.context.database.db.selectFrom('change_log').selectAll().where('resource', '=', resource).execute();

  for (const inside of [false, true]) {
    const where = inside ? 'inside a transaction' : 'outside of one';

    it(`behaves like the API, ${where}`, async () => {
      const title = `Größe ${where}`;
      const made = await call('ada', { call: 'create', values: { title, amount: 7 }, inside });
      assert.equal(made.status, 200, made.text);
      const { id, currency } = made.body.result;
      assert.equal(currency, 'EUR', 'the default is applied');
      const shown = await api<{ data: Record<string, unknown> }>('admin', 'GET', `/v1/bills/${id}`);
      assert.deepEqual(shown.body.data, made.body.result, 'the result is like the response of the API');
      const etag = shown.headers.get('etag') ?? '';
      assert.match(etag, /^"1-/, 'the row has a version');
      const search = encodeURIComponent(`title:grösse ${where}`.replace('ss', 'ß'));
      const found = await api<{ data: unknown[] }>('admin', 'GET', `/v1/bills?search=${search}`);
      assert.equal(found.body.data.length, 1, 'the folded text is searchable');

      const wrong = await call('ada', { call: 'create', values: { amount: -1, colour: 1 }, inside });
      assert.equal(wrong.status, 422, wrong.text);
      assert.deepEqual(wrong.body.errors?.map(({ field }) => field).sort(), ['amount', 'colour', 'title']);

      const moment = '2026-01-31T12:00:00.000Z';
      const update = { call: 'update', id, values: { amount: 8, paid_at: moment }, inside };
      const paid = await call('ada', update);
      assert.equal(paid.body.result.paid_at, moment, 'the service may set a read-only field');
      assert.equal(
        (await api('admin', 'PATCH', `/v1/bills/${id}`, { json: { amount: 9 }, headers: { 'if-match': etag } })).status,
        412,
      );
      const other = { ...update, as: 'caller', values: { paid_at: '2026-02-01T00:00:00Z' } };
      const asCaller = await call('admin', other);
      assert.equal(asCaller.status, 422, 'a caller may not set a read-only field');

      const listed = await call('ada', {
        call: 'list',
        values: { search: { title }, filter: ['id', 'amount'] },
        inside,
      });
      assert.deepEqual(listed.body.result.data, [{ id, amount: 8 }]);
      assert.equal(listed.body.result.pagination.total, 1);
      const one = await call('ada', { call: 'find', id, values: { filter: ['amount'] }, inside });
      assert.deepEqual(one.body.result, { amount: 8 });

      const log = (await changes('bills')).filter(({ row_id }) => row_id === id);
      assert.deepEqual(
        log.map(({ operation, actor }) => [operation, actor]),
        [
          ['created', null],
          ['updated', null],
        ],
      );
      assert.equal((await call('ada', { call: 'delete', id, inside })).status, 200);
      assert.equal((await call('ada', { call: 'find', id, inside })).status, 404);
      const recorded = (await events('bills.created')).filter(({ data }) => data.includes(id));
      assert.deepEqual(
        recorded.map(({ user_id }) => user_id),
        [null],
        'the event belongs to the service',
      );
    });

    it(`has the rights of the caller on request, ${where}`, async () => {
      const values = { title: 'x', amount: 1 };
      assert.equal((await call('ada', { call: 'create', as: 'caller', values, inside })).status, 403);
      assert.equal((await call('ada', { call: 'list', as: 'caller', inside })).body.result.data.length, 0);
      const visit = { resource: 'pet-visits', as: 'caller', inside };
      const made = await call('ada', { ...visit, call: 'create', values: { reason: 'teeth' } });
      assert.equal(made.body.result.user_id, ids.get('ada'));
      const { id } = made.body.result;
      const change = { ...visit, call: 'update', id, values: { reason: 'claws' } };
      assert.equal((await call('bob', change)).status, 403);
      assert.equal((await call('vet', change)).status, 200);
      const [log] = (await changes('pet-visits')).filter(({ row_id }) => row_id === id);
      assert.deepEqual(JSON.parse(log?.actor ?? '{}').user_id, ids.get('ada'));
    });
  }

  it('is rolled back with its transaction, and must get the transaction as an argument', async () => {
    const lost = { call: 'create', values: { title: 'lost', amount: 1 }, inside: true };
    assert.equal((await call('ada', { ...lost, fail: true })).status, 500);
    const { result } = (await call('ada', { call: 'list', values: { search: { title: 'lost' } } })).body;
    assert.deepEqual(result.data, []);
    assert.equal((await call('ada', { ...lost, unbound: true })).status, 500);
    assert.ok(
      lines.some((line) => line.includes('inside a transaction, pass it on')),
      'the log contains the reason',
    );
  });

  it('writes from hooks, in the transaction of the request', async () => {
    const visit = (reason: string) =>
      api<{ data: { id: string } }>('ada', 'POST', '/v1/pet-visits', { json: { reason } });
    const made = await visit('bill');
    assert.equal(made.status, 201, made.text);
    const { data } = (await call('ada', { call: 'list', values: { include: ['visit'] } })).body.result ?? {};
    assert.equal(data, undefined, 'the relation does not exist');
    const bills = (await call('ada', { call: 'list', values: {} })).body.result.data;
    const [bill] = bills.filter(({ visit_id }: { visit_id: string }) => visit_id === made.body.data.id);
    assert.equal(bill.amount, 5);
    const log = (await changes('bills')).filter(({ row_id }) => row_id === bill.id);
    assert.deepEqual(
      log.map(({ actor }) => actor),
      [null],
      'the change belongs to the service',
    );
    const [own] = (await changes('pet-visits')).filter(({ row_id }) => row_id === made.body.data.id);
    assert.equal(JSON.parse(own?.actor ?? '{}').user_id, ids.get('ada'));

    assert.equal((await visit('bad bill')).status, 422);
    assert.equal((await visit('caught')).status, 201);
    const titles = (await call('ada', { call: 'list', values: {} })).body.result.data.map(
      ({ title }: { title: string }) => title,
    );
    assert.ok(titles.includes('kept') && !titles.includes('refuse me'), 'only the failed call is undone');
    assert.equal((await visit('round')).status, 500, 'recursive hooks end with an error');
    assert.equal((await visit('nobody says')).status, 500);
    assert.ok(lines.some((line) => line.includes("state the rights of the call, as: 'caller' or as: 'service'")));
  });

  it('writes from actions, and after the commit', async () => {
    const made = await api<{ data: { id: string } }>('ada', 'POST', '/v1/pet-visits', { json: { reason: 'follow' } });
    const { data } = (await call('ada', { resource: 'owners', call: 'list', values: { search: { name: 'followed' } } }))
      .body.result;
    assert.equal(data.length, 1);
    const billed = await api('ada', 'POST', `/v1/pet-visits/${made.body.data.id}/billings`);
    assert.deepEqual(billed.body.data, { before: 0, amount: 9 }, billed.text);
    assert.equal((await api('bob', 'POST', `/v1/pet-visits/${made.body.data.id}/billings`)).status, 403);
  });

  it('reports rows that refer to a row, and suggests a resource for an unknown name', async () => {
    const owner = (await call('ada', { resource: 'owners', call: 'create', values: { name: 'Ada' } })).body.result;
    const values = { reason: 'x', owner_id: owner.id, user_id: ids.get('ada') };
    const visit = await call('ada', { resource: 'pet-visits', call: 'create', values, inside: true });
    assert.equal(visit.status, 200, visit.text);
    const gone = await call('ada', { resource: 'owners', call: 'delete', id: owner.id, inside: true });
    assert.deepEqual([gone.status, gone.body.detail?.includes('pet-visits (owner_id)')], [409, true], gone.text);
    assert.equal((await call('ada', { resource: 'bils', call: 'list' })).status, 500);
    assert.ok(lines.some((line) => line.includes('Did you mean \\"bills\\"?')));
  });

  it('reads, restores and permanently deletes deleted rows', async () => {
    const owners = (json: Record<string, unknown>) => call('ada', { resource: 'owners', ...json });
    for (const inside of [false, true]) {
      const { id } = (await owners({ call: 'create', values: { name: 'Gone' }, inside })).body.result;
      assert.equal((await owners({ call: 'delete', id, inside })).status, 200);
      assert.equal((await owners({ call: 'find', id, inside })).status, 404);
      const found = await owners({ call: 'find', id, values: { deleted: 'with' }, inside });
      assert.ok(found.body.result.deleted_at, found.text);
      const listed = await owners({ call: 'list', values: { deleted: 'only', search: { name: 'gone' } }, inside });
      assert.deepEqual(
        listed.body.result.data.map((row: { id: string }) => row.id),
        [id],
      );
      const restored = await owners({ call: 'restore', id, inside });
      assert.deepEqual([restored.body.result.name, restored.body.result.deleted_at], ['Gone', null], restored.text);
      assert.equal(
        (await owners({ call: 'delete', id, values: { forGood: true }, inside })).status,
        404,
        'the row is not deleted',
      );
      await owners({ call: 'delete', id, inside });
      assert.equal((await owners({ call: 'delete', id, values: { forGood: true }, inside })).status, 200);
      assert.equal((await owners({ call: 'find', id, values: { deleted: 'with' }, inside })).status, 404);
    }
    assert.equal((await call('ada', { call: 'restore', id: uuidv7() })).status, 500);
    assert.ok(lines.some((line) => line.includes('it does not keep deleted rows')));
  });

  it('calculates figures, and searches through relations', async () => {
    const owner = (await call('ada', { resource: 'owners', call: 'create', values: { name: 'Figures' } })).body.result;
    for (const reason of ['one', 'two']) {
      const values = { reason, owner_id: owner.id, user_id: ids.get('ada') };
      await call('ada', { resource: 'pet-visits', call: 'create', values });
    }
    const search = { 'owner.name': { startsWith: 'figure' } };
    for (const inside of [false, true]) {
      const visits = { resource: 'pet-visits', inside, as: 'caller' };
      const listed = await call('ada', { ...visits, call: 'list', values: { search } });
      assert.equal(listed.body.result.data.length, 2, listed.text);
      const values = { search, aggregate: ['count'], groupBy: ['state'] };
      const figures = await call('ada', { ...visits, call: 'aggregate', values });
      assert.deepEqual(figures.body.result.data, [{ state: 'open', count: 2 }], figures.text);
    }
  });

  it('completes the statements of the query builder', async () => {
    interface Bill {
      readonly data: readonly { id: string; created_at: string; updated_at: string; currency: string }[];
    }
    const found = async (title: string) =>
      (await api<Bill>('admin', 'GET', `/v1/bills?search=title:${title}`)).body.data;
    const made = await api<{ data: { id: string } }>('ada', 'POST', '/v1/raw-rows', { json: { title: 'Raw É' } });
    assert.equal(made.status, 200, made.text);
    const [row, ...others] = await found('raw é');
    assert.deepEqual([row?.id, row?.currency, others], [made.body.data.id, 'USD', []]);
    for (const at of [row?.created_at, row?.updated_at]) {
      assert.ok(Math.abs(Date.parse(at ?? '') - service.context.now()) < 600_000);
    }
    const { headers } = await api('admin', 'GET', `/v1/bills/${row?.id}`);
    assert.match(headers.get('etag') ?? '', /^"2-/, 'an update increments the version');
    const changed = await api('admin', 'PATCH', `/v1/bills/${row?.id}`, { json: { amount: 4 } });
    assert.equal(changed.status, 200);
    const next = await api('ada', 'POST', '/v1/raw-rows', { json: { title: 'first', next: 'Second' } });
    assert.equal(next.status, 200);
    assert.equal((await found('second')).length, 0, 'the title was changed again');
    assert.equal((await found('first')).length, 1);
    const refused = await api('ada', 'POST', '/v1/raw-rows', { json: { title: 'third', byExpression: true } });
    assert.equal(refused.status, 500);
    assert.ok(lines.some((line) => line.includes('bills.title gets its value from an expression')));
  });
});

onBothEngines('Access rules of custom routes', (engine) => {
  const start = services(engine);
  let service: Service;
  const tokens = new Map<string, string>();
  const visits = new Map<string, string>();
  before(async () => {
    const env = { RESOURCES_DIR: join(project, 'resources'), ROUTES_DIR: join(project, 'routes'), ROLES: 'admin,vet' };
    service = await start({ env });
    for (const name of ['ada', 'bob', 'vet', 'narrow']) {
      const { email } = await addLogin(service, name === 'vet' ? { roles: ['vet'] } : {});
      const form = { email, password, ...(name === 'narrow' ? { scope: 'pet-visits:read' } : {}) };
      tokens.set(name, String((await request(service, '/v1/clients/web/admin/login', { form })).body.access_token));
    }
    const made = await api('ada', 'POST', '/v1/pet-visits', { json: { reason: 'teeth' } });
    visits.set('ada', (made.body.data as { id: string }).id);
  });
  const api = (who: string, method: string, path: string, options: RequestOptions = {}) =>
    request(service, path, { method, token: tokens.get(who) ?? null, ...options });

  it('apply the row-level rules of the resource to the id in the path', async () => {
    const path = `/v1/pet-visits/${visits.get('ada')}/closings`;
    assert.equal((await api('nobody', 'POST', path)).status, 401);
    assert.equal((await api('narrow', 'POST', path)).status, 403, 'the scope of the resource is required');
    const refused = await api('bob', 'POST', path);
    assert.deepEqual([refused.status, refused.body.detail], [403, 'You may not update this pet-visit.'], refused.text);
    assert.equal((await api('bob', 'GET', `/v1/pet-visits/${visits.get('ada')}`)).status, 200, 'bob may see the row');
    assert.deepEqual((await api('ada', 'POST', path)).body, { before: 'open', note: null });
    assert.deepEqual((await api('vet', 'POST', path)).body, { before: 'closed', note: null });
    assert.equal((await api('ada', 'POST', '/v1/pet-visits/none/closings')).status, 404);
  });

  it('can be a separate rule of the route, for the row or for the caller', async () => {
    const path = `/v1/pet-visits/${visits.get('ada')}/notes`;
    assert.equal((await api('ada', 'GET', path)).status, 200);
    assert.equal((await api('vet', 'GET', path)).status, 403);
    assert.equal((await api('vet', 'GET', '/v1/pet_reports')).status, 200);
    assert.equal((await api('ada', 'GET', '/v1/pet_reports')).status, 403);
  });
});
