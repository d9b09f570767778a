import assert from 'node:assert/strict';
import { before, it, mock } from 'node:test';
import pg from 'pg';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { garage } from '../../../test/harness/garage.ts';
import { idOf, type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';
import { unavailable } from '../../platform/errors.ts';
import { owner } from '../declaration/access.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { uuid } from '../declare.ts';

interface Result {
  readonly status: number;
  readonly etag: string;
  readonly data: { readonly id: string; readonly plate: string };
  readonly error: { readonly code: string; readonly errors: readonly { field: string; code: string }[] };
}

/** Without a reference, the caller may name any user. Only the rule of the created row rejects it. */
const notes = defineResource({
  name: 'notes',
  fields: { user_id: uuid({ required: true }) },
  access: { read: 'auth:api', write: owner('user_id') },
});

onBothEngines('Rows that one caller creates at the same time', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let ownerId: string;
  const nobody = '0199d0a0-7c00-7000-8000-000000000000';
  before(async () => {
    service = await start([...garage, notes]);
    ownerId = await ownerOf('admin');
  });
  const ownerOf = async (token: string): Promise<string> =>
    (await service.request('POST', '/v1/owners', { json: { name: token }, token })).row.id;
  /** The rows of a batch begin in one turn of the event loop. */
  const create = async (path: string, rows: readonly object[], token = 'admin'): Promise<readonly Result[]> => {
    const response = await service.request('POST', `${path}/batches`, { json: { rows }, token });
    assert.equal(response.status, 200, response.text);
    return JSON.parse(response.text).data;
  };
  const statuses = (results: readonly Result[]) => results.map(({ status }) => status);
  const cars = (letter: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ plate: `${letter}-${n}`, owner_id: ownerId }));
  const countTransactions = async <T>(work: () => Promise<T>): Promise<readonly [T, number]> => {
    const { db } = service.context.database;
    const begin = mock.method(db, 'transaction');
    try {
      return [await work(), begin.mock.callCount()];
    } finally {
      begin.mock.restore();
    }
  };

  it('share transactions, and each gets the response of a single request', async () => {
    const [created, transactions] = await countTransactions(() => create('/v1/cars', cars('A', 40)));
    assert.deepEqual(statuses(created), Array(40).fill(201));
    assert.equal(transactions, engine === 'postgres' ? 1 : 5);
    assert.deepEqual(
      created.map(({ data }) => data.plate),
      cars('A', 40).map(({ plate }) => plate),
    );
    for (const { data, etag } of [created[0], created[39]] as Result[]) {
      const alone = await service.request('GET', `/v1/cars/${data.id}`);
      assert.deepEqual([data, etag], [alone.row, alone.headers.get('etag')]);
    }
    const single = await Promise.all(cars('B', 20).map((json) => service.request('POST', '/v1/cars', { json })));
    for (const { status, row, headers, text } of single) {
      assert.equal(status, 201, text);
      assert.match(headers.get('location') ?? '', new RegExp(`/v1/cars/${row.id}$`));
      assert.equal((await service.request('GET', `/v1/cars/${row.id}`)).headers.get('etag'), headers.get('etag'));
    }
  });

  it('are created even if one of them is invalid', async () => {
    const [good, other] = cars('C', 2) as [{ plate: string; owner_id: string }, object];
    const created = await create('/v1/cars', [
      good,
      good,
      { ...good, plate: 'C-9', owner_id: nobody },
      other,
      { plate: 'C-8' },
    ]);
    assert.deepEqual(statuses(created), [201, 422, 422, 201, 422]);
    assert.deepEqual(created[1]?.error.errors, [{ ...created[1]?.error.errors[0], field: 'plate', code: 'taken' }]);
    assert.deepEqual(created[2]?.error.errors, [
      { ...created[2]?.error.errors[0], field: 'owner_id', code: 'not_found' },
    ]);
    const { rows } = await service.request('GET', '/v1/cars?search=plate:C-*&orderBy=plate');
    assert.deepEqual(
      rows.map(({ plate }) => plate),
      ['C-0', 'C-1'],
    );
  });

  it('are checked by the rule for each row and for its references', async () => {
    const own = { name: 'own' };
    const others = { name: 'of another', user_id: idOf('bob') };
    const created = await create('/v1/owners', [own, others, own], 'alice');
    assert.deepEqual(statuses(created), [201, 422, 201], 'alice may not see the user bob');
    const { rows: mine } = await service.request('GET', '/v1/owners', { token: 'alice' });
    assert.deepEqual(
      mine.map(({ name }) => name),
      ['own', 'own'],
    );
    const refused = await create('/v1/drivers', [{ name: 'x' }, { name: 'y' }], 'alice');
    assert.deepEqual(statuses(refused), [403, 403]);
    const ofAdmin = cars('D', 2);
    const hers = { plate: 'D-9', owner_id: mine[0]?.id };
    assert.deepEqual(statuses(await create('/v1/cars', [...ofAdmin, hers], 'alice')), [422, 422, 201]);
    const notes = ['alice', 'bob', 'alice'].map((name) => ({ user_id: idOf(name) }));
    assert.deepEqual(statuses(await create('/v1/notes', notes, 'alice')), [201, 403, 201]);
    assert.equal((await service.request('GET', '/v1/notes')).rows.length, 2);
  });

  it('fail together while the database takes no writes', async () => {
    const begin = mock.method(service.context.database.db, 'transaction', () => {
      throw unavailable('busy', 5, 'another program holds the write lock');
    });
    try {
      assert.deepEqual(statuses(await create('/v1/cars', cars('J', 8))), Array(8).fill(503));
      assert.equal(begin.mock.callCount(), 1);
    } finally {
      begin.mock.restore();
    }
  });

  it('are recorded with their own author', async () => {
    const owners = { admin: ownerId, alice: await ownerOf('alice'), bob: await ownerOf('bob') };
    const created = await Promise.all(
      Object.entries(owners).map(async ([token, owner_id]) => {
        const rows = [1, 2, 3].map((n) => ({ plate: `E-${token}-${n}`, owner_id }));
        return [token, await create('/v1/cars', rows, token)] as const;
      }),
    );
    const events = await service.context.database.db.selectFrom('events').selectAll().execute();
    for (const [token, results] of created) {
      for (const { data, status } of results) {
        assert.equal(status, 201);
        const own = events.filter((event) => JSON.parse(event.data).id === data.id);
        assert.deepEqual(
          own.map(({ type, user_id }) => [type, user_id]),
          [['cars.created', idOf(token)]],
        );
      }
    }
  });

  it('neither wait together for a lock of one row, nor fail together at the commit', async () => {
    if (engine === 'sqlite') return;
    const held = await ownerOf('admin');
    const holder = new pg.Client({ connectionString: service.database.url });
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('select 1 from owners where id = $1 for update', [held]);
      const waiting = service.request('POST', '/v1/cars', { json: { plate: 'F-1', owner_id: held } });
      const others = await Promise.all(cars('G', 5).map((json) => service.request('POST', '/v1/cars', { json })));
      assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([201]));
      await holder.query('commit');
      assert.equal((await waiting).status, 201);
      await holder.query(`create function refuse() returns trigger language plpgsql as $$ begin
          if new.plate = 'H-1' then raise exception 'refused'; end if; return null; end $$;
        create constraint trigger refuse after insert on cars deferrable initially deferred
          for each row execute function refuse()`);
    } finally {
      await holder.end();
    }
    assert.deepEqual(statuses(await create('/v1/cars', cars('H', 3))), [201, 500, 201]);
  });
});
