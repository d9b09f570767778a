import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { sql } from 'kysely';
import { pruneOldChanges } from '../../extensions/changes/prune-changes.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Person, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import type { Change } from './event-reader.ts';
import { readSettled } from './read-settled.ts';

const resources = new URL('./resources', import.meta.url).pathname;

interface Page {
  data: Change[];
  meta: { changes_position: string; more: boolean };
  code: string;
}
interface Row {
  data: { id: string };
}
interface List {
  data: { id: string }[];
  meta: { changes_position?: string };
}

onBothEngines('GET /v1/changes', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  let ada: Person;
  let bob: Person;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resources } });
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    ada = await registerUser(service);
    bob = await registerUser(service);
  });

  const read = async (query: string, token = admin) =>
    (await readSettled<Page>(service, `/v1/changes?${query}`, token)).body;
  const now = async () => (await read('resources=cars&limit=1000')).meta.changes_position;
  const make = async (path: string, json: object, token = admin) =>
    (await request<Row>(service, path, { json, token })).body.data.id;
  const change = (path: string, json: object, token = admin) =>
    request<Row>(service, path, { method: 'PATCH', json, token });
  let plates = 0;
  const plate = () => `P-${plates++}`;

  it('records every write once, with the row as the API shows it, and its author', async () => {
    const after = await now();
    const name = plate();
    const json = { plate: name, weight: 0.1 + 0.2, tags: ['a'], electric: true, pin: '1234' };
    const id = await make('/v1/cars', json, ada.token);
    await change(`/v1/cars/${id}`, { seats: 5 }, ada.token);
    await change(`/v1/cars/${id}`, { seats: 5 }, ada.token);
    await request(service, `/v1/cars/${id}`, { method: 'DELETE', token: ada.token });
    const { data, meta } = await read(`resources=cars&after=${after}`, ada.token);
    assert.deepEqual(
      data.map(({ operation, version, id: of }) => [operation, version, of]),
      [
        ['created', 1, id],
        ['updated', 2, id],
        ['deleted', 2, id],
      ],
    );
    const [created, updated, deleted] = data as [Change, Change, Change];
    assert.equal(created.before, null);
    assert.deepEqual([created.after?.weight, created.after?.tags, created.after?.electric], [0.1 + 0.2, ['a'], true]);
    assert.equal(created.after?.shout, `${name}!`);
    assert.ok(!JSON.stringify(data).includes('1234'));
    assert.deepEqual([updated.before?.seats, updated.after?.seats], [4, 5]);
    assert.deepEqual(updated.after, deleted.before);
    assert.equal(deleted.after, null);
    assert.deepEqual(
      data.map(({ actor }) => actor?.user_id),
      [ada.id, ada.id, ada.id],
    );
    assert.ok(Math.abs(Date.parse(created.at) - Date.now()) < 60_000);
    assert.ok(created.position < updated.position && updated.position < deleted.position);
    assert.equal(meta.more, false);
    assert.deepEqual((await read(`resources=cars&after=${meta.changes_position}`, ada.token)).data, []);
  });

  it('records plain SQL and cascades, and nothing of a transaction that was rolled back', async () => {
    const after = await now();
    const owner = await make('/v1/owners', { name: 'Ada' });
    const id = await make('/v1/cars', { plate: plate(), owner_id: owner });
    const { db } = service.context.database;
    if (engine === 'sqlite') {
      // Programs with a SQLite before 3.42 write to the file too.
      const { rows } = await sql<{
        text: string;
      }>`select sql as text from sqlite_master where sql like '%now%'`.execute(db);
      assert.ok(rows.length > 0);
      assert.ok(rows.every(({ text }) => !text.includes('subsec')));
    }
    await sql`update cars set seats = 9 where id = ${id}`.execute(db);
    await db
      .transaction()
      .execute(async (tx) => {
        await sql`update cars set seats = 10 where id = ${id}`.execute(tx);
        throw new Error('undone');
      })
      .catch(() => undefined);
    await request(service, `/v1/owners/${owner}`, { method: 'DELETE', token: admin });
    const { data } = await read(`resources=cars,owners&after=${after}`);
    assert.deepEqual(await read(`resources=&after=${after}`), await read(`after=${after}`), 'empty means absent');
    const seen = data.map(({ resource, operation, actor }) => [resource, operation, actor !== null]);
    const [made, owned, plain, ...gone] = seen;
    assert.deepEqual(
      [made, owned, plain],
      [
        ['owners', 'created', true],
        ['cars', 'created', true],
        ['cars', 'updated', false],
      ],
    );
    assert.deepEqual(gone.sort(), [
      ['cars', 'deleted', true],
      ['owners', 'deleted', true],
    ]);
    assert.equal(data[2]?.after?.seats, 9);
    assert.ok(Math.abs(Date.now() - Date.parse(String(data[2]?.at))) < 60_000, String(data[2]?.at));
  });

  it('shows only the declared fields, and records writes of other fields', async () => {
    const after = await now();
    const id = await make('/v1/notes', { title: 'one', body: 'long' });
    await change(`/v1/notes/${id}`, { body: 'longer' });
    const { data } = await read(`resources=notes&after=${after}`);
    assert.deepEqual(
      data.map((each) => [each.operation, each.before, each.after]),
      [
        ['created', null, { id, title: 'one' }],
        ['updated', { id, title: 'one' }, { id, title: 'one' }],
      ],
    );
  });

  it('applies the rules to the row before and after: for a row that leaves the view, only the id is shown', async () => {
    const after = await now();
    const id = await make('/v1/cars', { plate: plate() }, ada.token);
    await change(`/v1/cars/${id}`, { user_id: bob.id }, admin);
    const owner = await make('/v1/owners', { name: 'Ada' }, ada.token);
    await change(`/v1/cars/${id}`, { owner_id: owner }, admin);
    const kinds = async (token: string) =>
      (await read(`resources=cars&after=${after}`, token)).data.map(({ operation, before: was, after: is }) => [
        operation,
        was !== null && was !== undefined,
        is !== null && is !== undefined,
      ]);
    assert.deepEqual(await kinds(bob.token), [
      ['updated', false, true],
      ['updated', true, true],
    ]);
    assert.deepEqual(await kinds(ada.token), [
      ['created', false, true],
      ['left', false, false],
      ['updated', false, true],
    ]);
    const { data } = await read(`resources=cars&after=${after}`, ada.token);
    assert.deepEqual(Object.keys(data[1] as Change).sort(), ['id', 'operation', 'position', 'resource']);
  });

  it('compares like the database, also for types that JSON lacks', async () => {
    const after = await now();
    for (const amount of ['5.00', '6.00', '7.00']) await make('/v1/prices', { amount });
    const amounts = async (token: string) =>
      (await read(`resources=prices&after=${after}`, token)).data.map(({ after: row }) => row?.amount);
    assert.deepEqual(await amounts(admin), ['5.00', '6.00', '7.00']);
    assert.deepEqual(await amounts(ada.token), ['6.00']);
  });

  it('filters by a search, like lists', async () => {
    const after = await now();
    const id = await make('/v1/cars', { plate: 'Zebra-1', seats: 2 });
    await make('/v1/cars', { plate: plate(), seats: 2 });
    await change(`/v1/cars/${id}`, { seats: 7 });
    await change(`/v1/cars/${id}`, { plate: 'Yak-1' });
    const { data } = await read(`resources=cars&after=${after}&search=plate:zebra*`);
    assert.deepEqual(
      data.map(({ operation }) => operation),
      ['created', 'updated', 'left'],
    );
    const filtered = await read(`resources=cars&after=${after}&search=${encodeURIComponent('seats:>5')}`);
    assert.deepEqual(
      filtered.data.map(({ operation, before: was }) => [operation, was]),
      [
        ['updated', null],
        ['updated', filtered.data[1]?.before],
      ],
    );
  });

  it('refuses unknown and forbidden parameters', async () => {
    const status = async (query: string, token: string | null = admin) => {
      const response = await request<Page>(service, `/v1/changes?${query}`, { token });
      return [response.status, response.body.code];
    };
    assert.deepEqual(await status('resources=stones'), [400, 'resource_unknown']);
    assert.deepEqual(await status('resources=cars&nonsense=1'), [400, 'parameter_unknown']);
    assert.deepEqual(await status('resources=cars&search=nonsense:1'), [400, 'field_unknown']);
    assert.deepEqual(await status('resources=cars&after=yesterday'), [400, 'parameter_invalid']);
    assert.deepEqual(await status('resources=cars&limit=0'), [400, 'parameter_invalid']);
    assert.deepEqual(await status('resources=cars', null), [401, 'token_missing']);
    const other = (await now()).replace(/^[0-9a-f]{10}/, '0123456789');
    assert.deepEqual(await status(`resources=cars&after=${other}`), [410, 'resync']);
    const ahead = (await now()).replace(/\d{16}.*$/, '9999999999999999');
    assert.deepEqual(await status(`resources=cars&after=${ahead}`), [410, 'resync']);
    for (const shown of ['1', '1_2', '0_0__1', '9_8__1', '1_9_9_1', '1_9_5.3_1', '1_2__', '1_2__9999999999999999']) {
      const [response] = await status(`resources=cars&after=${await now()}-${shown}`);
      assert.ok(response === 400 || response === 410 || response === 200, `${shown}: ${response}`);
    }
    const crafted = (await now()).replace(/\d{16}.*$/, '0000000000000000-1_9_5_1');
    assert.deepEqual(await status(`resources=cars&after=${crafted}`), [200, undefined]);
  });

  it('says that a resource records no changes, to callers who may read it', async () => {
    const detail = async (name: string, token: string) =>
      (await request<{ detail: string }>(service, `/v1/changes?resources=${name}`, { token })).body.detail;
    assert.match(await detail('stones', ada.token), /^resources: the resource "stones" records no changes /);
    assert.match(await detail('events', admin), /"events" records no changes /);
    const json = { url: 'https://example.com', resources: ['stones'] };
    const { body } = await request<{ errors: unknown }>(service, '/v1/webhooks', { json, token: admin });
    assert.match(JSON.stringify(body.errors), /stones.* records no changes /);
    const unknown = await detail('nothing', ada.token);
    assert.match(unknown, /"nothing" is unknown\./);
    assert.equal(await detail('events', ada.token), unknown.replace('nothing', 'events'));
  });

  it('returns the changes in pages', async () => {
    let after = await now();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await make('/v1/cars', { plate: plate() }));
    const seen: string[] = [];
    for (let more = true; more; ) {
      const page = await read(`resources=cars&limit=2&after=${after}`);
      seen.push(...page.data.map(({ id }) => id));
      after = page.meta.changes_position;
      more = page.meta.more;
    }
    assert.deepEqual(seen, ids);
  });

  it('shows the position in lists, and responds 304 while a list stays the same', async () => {
    await make('/v1/cars', { plate: plate() });
    const list = await request<List>(service, '/v1/cars', { token: admin });
    const position = list.body.meta.changes_position as string;
    await make('/v1/notes', { title: 'elsewhere' });
    const again = await request(service, '/v1/cars', {
      token: admin,
      headers: { 'if-none-match': list.headers.get('etag') as string },
    });
    assert.equal(again.status, 304);
    assert.deepEqual((await read(`resources=cars&after=${position}`)).data, []);
    const id = await make('/v1/cars', { plate: plate() });
    const { data } = await read(`resources=cars&after=${position}`);
    assert.deepEqual(
      data.map((each) => each.id),
      [id],
    );
    const stones = await request<List>(service, '/v1/stones', { token: admin });
    assert.equal(stones.body.meta.changes_position, undefined);
  });

  it('keeps changes for CHANGES_RETENTION, and responds 410 to an earlier position', async () => {
    const old = await now();
    await make('/v1/cars', { plate: plate() });
    const kept = await now();
    service.advance(8 * 86_400_000);
    await pruneOldChanges(service.context);
    service.advance(-8 * 86_400_000);
    const { status, body } = await request<Page>(service, `/v1/changes?resources=cars&after=${old}`, { token: admin });
    assert.deepEqual([status, body.code], [410, 'resync']);
    assert.deepEqual((await read(`resources=cars&after=${kept}`)).data, []);
    const id = await make('/v1/cars', { plate: plate() });
    assert.deepEqual(
      (await read('resources=cars')).data.map((each) => each.id),
      [id],
    );
  });
});
