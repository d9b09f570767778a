import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { sql } from 'kysely';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { users } from '../../../test/harness/garage.ts';
import {
  idOf,
  type ResourceResponse,
  type ResourceService,
  resourceServices,
} from '../../../test/harness/resource-service.ts';
import type { Engine } from '../../database/database.ts';
import { withMigrationLock } from '../../database/locks/migration-lock.ts';
import { role } from '../declaration/access.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { belongsTo, hasMany } from '../declaration/relations.ts';
import { reference, text } from '../declare.ts';

const notes = defineResource({
  name: 'notes',
  fields: {
    body: text({ max: 3000, searchable: true, sortable: true }),
    title: text({ max: 100, searchable: true, sortable: true }),
    user_id: reference('users'),
  },
  relations: { user: belongsTo('users', { by: 'user_id' }) },
  access: { read: 'auth:api', write: role('admin') },
});
const people = { ...users, relations: { notes: hasMany('notes', { by: 'user_id' }) } } as typeof users;

/** The database compares each of these five texts nearly completely at every position of a row. */
const slowly = Array.from({ length: 5 }, (_, i) => `*${'a'.repeat(220 + i)}b*`).join(',');
const slow = `/v1/notes?search=body:${slowly}&count=none`;

/** With this many rows, a search takes several times the limit below, even on a fast machine. */
const manyRows = 60_000;
/** With this many rows, several searches take longer than one other request. */
const fewerRows = 20_000;

const seed = (engine: Engine, rows: number): string => {
  const id = (hex: string) => `'00000000-0000-7000-8000-' || ${hex}`;
  const values = (hex: string, long: string) =>
    `${id(hex)}, 'note', ${long}, 'title ' || i, 'title ' || i, null, 1, 1, 1`;
  return engine === 'sqlite'
    ? `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows}) select ${values("printf('%012x', i)", "replace(hex(zeroblob(1000)), '0', 'a')")} from n`
    : `select ${values("lpad(to_hex(i), 12, '0')", "repeat('a', 2000)")} from generate_series(1, ${rows}) as i`;
};

onBothEngines('Expensive reads', (engine) => {
  const start = resourceServices(engine);
  const serve = async (seconds: number, rows: number): Promise<ResourceService> => {
    const service = await start([people, notes], { READ_TIMEOUT: String(seconds) });
    await withMigrationLock(service.context.database, async (tx) => {
      await sql
        .raw(
          `insert into notes (id, body, body_folded, title, title_folded, user_id, created_at, updated_at, version) ${seed(engine, rows)}`,
        )
        .execute(tx);
    });
    return service;
  };
  let service: ResourceService;
  let patient: ResourceService;
  before(async () => {
    service = await serve(1, manyRows);
    patient = await serve(60, fewerRows);
  });

  const one = '/v1/notes/00000000-0000-7000-8000-000000000001?filter=title';
  const refused = ({ status, problem, headers }: ResourceResponse) => {
    assert.equal(status, 503);
    assert.equal(problem.code, 'too_expensive');
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  };

  it('end at their time limit, and do not block other requests', async () => {
    let ended = false;
    const scan = service.request('GET', slow, { token: 'alice' }).finally(() => {
      ended = true;
    });
    let answered = 0;
    while (!ended) {
      const { status } = await service.request('GET', one, { token: 'bob' });
      assert.equal(status, 200);
      if (!ended) answered++;
    }
    refused(await scan);
    // If the scan blocked the service, at most one other request would be answered before it.
    assert.ok(answered >= 3, `${answered} other requests were answered during the scan`);
  });

  it('of one caller leave room for another caller, and end when the caller disconnects', async () => {
    const leaving = new AbortController();
    const disconnecting = { token: 'alice', signal: leaving.signal };
    let pending = 12;
    const many = Array.from({ length: pending }, () =>
      patient
        .request('GET', slow, disconnecting)
        .catch(() => undefined)
        .finally(() => pending--),
    );
    const find = (token: string, text: string) =>
      patient.request('GET', `/v1/notes?search=title:*${text}*&count=exact&filter=title`, { token });
    const { status, pagination } = await find('bob', 'e%209');
    assert.ok(pending > 0, 'another caller was answered in between');
    assert.equal(status, 200);
    assert.equal(pagination.total, 1 + 10 + 100 + 1000);
    leaving.abort();
    await Promise.all(many);
    assert.equal((await find('alice', 'e%20199')).pagination.total, 1 + 10 + 100, 'a canceled read takes no place');
    const metrics = await patient.context.metrics.registry.metrics();
    assert.match(metrics, /route="\/v1\/notes",status="499"/);
    assert.doesNotMatch(metrics, /route="\/v1\/notes",status="503"/);
  });

  it('are all limited: counts, orders, far pages and includes', async () => {
    for (const path of [
      `/v1/notes?search=body:${slowly}&count=exact`,
      `/v1/notes?search=body:!=${slowly}&orderBy=body`,
      `/v1/notes?search=body:${slowly};title:zzz&searchJoin=or`,
      `/v1/notes?search=body:${slowly}&include=user`,
    ]) {
      refused(await service.request('GET', path, { token: 'alice' }));
    }
  });

  it('return the same result as on the main thread', async () => {
    const request = async (query: string) => (await patient.request('GET', `/v1/notes?filter=title&${query}`)).rows;
    const titles = async (query: string) => (await request(query)).map(({ title }) => title);
    const last = (await titles('page=1000&limit=20')).at(-1);
    assert.equal(last, `title ${fewerRows}`);
    assert.deepEqual(await titles('orderBy=body&limit=2'), ['title 1', 'title 2']);
    assert.deepEqual(await titles('search=title:*e%2019999&limit=2'), ['title 19999']);
    assert.deepEqual(await titles('orderBy=body;title&sortedBy=asc;desc&limit=1'), ['title 9999']);
    const made = await patient.request('POST', '/v1/notes', { json: { title: 'new', body: 'the newest' } });
    assert.equal(made.status, 201);
    assert.deepEqual(await titles('search=body:*newest*'), ['new']);
    assert.deepEqual(await titles('search=title|body:*newest*;title:new'), ['new']);
    assert.deepEqual(await titles('search=title|body:*newest*;title:!=new'), []);
    assert.equal((await patient.request('DELETE', `/v1/notes/${made.row.id}`)).status, 204);
    assert.deepEqual(await titles('search=body:*newest*'), []);
  });

  it('are refused if a row with many included rows is repeated', async () => {
    const small = await serve(5, 100);
    const { database } = small.context;
    await withMigrationLock(database, (tx) =>
      sql`update notes set user_id = ${idOf('admin')}, body = ${'a'.repeat(2000)}`.execute(tx),
    );
    const request = (limit: number) => small.request('GET', `/v1/notes?include=user.notes&limit=${limit}`);
    const { status, problem } = await request(100);
    assert.deepEqual([status, problem.code], [503, 'too_expensive']);
    const { text, ...fewer } = await request(20);
    assert.equal(fewer.status, 200);
    assert.ok(text.length > 20 * 100 * 2000);
  });

  it('are refused if the rows are too long', async () => {
    const small = await serve(5, 100);
    const { database } = small.context;
    const body = 'a'.repeat(200_000);
    await withMigrationLock(database, (tx) =>
      sql`update notes set user_id = ${idOf('admin')}, body = ${body}`.execute(tx),
    );
    const list = async (query: string) => (await small.request('GET', `/v1/notes?${query}`)).status;
    const { status, problem } = await small.request('GET', '/v1/notes?limit=100');
    assert.deepEqual([status, problem.code], [503, 'too_expensive']);
    assert.equal(await list('limit=80'), 200);
    assert.equal(await list('limit=100&filter=title'), 200);
  });

  it('are refused before they start if they have too many wildcards', async () => {
    const values = (count: number) => Array.from({ length: count }, (_, i) => `*x${i}*`).join(',');
    const request = (query: string) => patient.request('GET', `/v1/notes?${query}`);
    assert.equal((await request(`search=title:${values(5)}`)).status, 200);
    assert.equal((await request(`search=title:${values(10).replaceAll('*,', ',').slice(0, -1)}`)).status, 200);
    for (const query of [
      `search=title:${values(6)}`,
      `search=title:!=${values(6)}`,
      `search=title:${values(3)};body:${values(3)}&searchJoin=or`,
      `search=${Array.from({ length: 11 }, (_, i) => `title:x${i}*`).join(';')}`,
      `search=${Array.from({ length: 11 }, (_, i) => `title:x${i}`).join(';')}&searchFields=title:like`,
    ]) {
      const { status, problem } = await request(query);
      assert.equal(status, 400, query);
      assert.match(problem.detail, /at most 10 wildcards/);
    }
    assert.equal((await request(`search=title|body:${values(5)}`)).status, 200);
    assert.equal((await request(`search=title|body:${values(6)}`)).status, 400);
    assert.equal((await request(`search=title:${values(11).replaceAll('*', '\\*')}`)).status, 200);
    const long = await request(`search=body:*${'x'.repeat(256)}*`);
    assert.equal(long.status, 400);
    assert.match(long.problem.detail, /more than 255 characters/);
    assert.equal((await request(`search=body:${'x'.repeat(2000)}`)).status, 200);
  });
});
