import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { owners, users } from '../../../test/harness/garage.ts';
import { type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { text } from '../declare.ts';

const notes = defineResource({
  name: 'notes',
  fields: { body: text({ max: 100, searchable: true, sortable: true }) },
  access: { read: 'auth:api', write: 'auth:api' },
});
const ownersAlone = { ...owners, relations: {} };

describe('Cached reads on SQLite', () => {
  const start = resourceServices('sqlite');
  let service: ResourceService;
  let otherProcess: DatabaseSync;
  let statements = 0;
  let id: string;
  after(() => otherProcess.close());
  before(async () => {
    service = await start([users, ownersAlone, notes]);
    otherProcess = new DatabaseSync(service.database.url.replace(/^sqlite:/, ''));
    const { database } = service.context;
    const { read, readFirst } = database;
    Object.assign(database, {
      read: (...args: Parameters<typeof read>) => {
        statements++;
        return read(...args);
      },
      readFirst: (...args: Parameters<typeof readFirst>) => {
        statements++;
        return readFirst(...args);
      },
    });
    id = (await service.request('POST', '/v1/notes', { json: { body: 'first' } })).row.id;
  });

  const lists = ['/v1/notes', '/v1/notes?search=body:first', '/v1/notes?orderBy=body&limit=1', '/v1/notes?cursor='];
  const urls = () => [`/v1/notes/${id}`, ...lists];
  /** The number of statements of one request. */
  const statementsOf = async (url: string) => {
    statements = 0;
    assert.equal((await service.request('GET', url)).status, 200);
    return statements;
  };
  const bodyOf = async (url: string) => {
    const { status, row, rows } = await service.request('GET', url);
    return status === 200 ? (Array.isArray(rows) ? rows[0] : row)?.body : status;
  };

  it('run no statement while nothing is committed', async () => {
    for (const url of urls()) await service.request('GET', url);
    for (const url of urls()) assert.equal(await statementsOf(url), 0, url);
  });

  it('return the same response, links and ETag', async () => {
    await service.request('POST', '/v1/notes', { json: { body: 'other' } });
    for (const url of [...urls(), '/v1/notes?limit=1', '/v1/notes?limit=1&page=2']) {
      const [first, second] = [await service.request('GET', url), await service.request('GET', url)];
      assert.equal(second.text, first.text);
      for (const name of ['etag', 'link', 'content-type']) {
        assert.equal(second.headers.get(name), first.headers.get(name), `${name} of ${url}`);
      }
      const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
      assert.equal((await service.request('GET', url, { headers })).status, 304);
    }
  });

  it('show each write of the service and of another process', async () => {
    const change = otherProcess.prepare('update notes set body = ?, version = version + 1 where id = ?');
    for (let n = 0; n < 5; n++) {
      await service.request('PATCH', `/v1/notes/${id}`, { json: { body: `ours ${n}` } });
      for (const url of [`/v1/notes/${id}`, '/v1/notes?orderBy=body&sortedBy=desc']) {
        assert.equal(await bodyOf(url), `ours ${n}`);
        assert.equal(await bodyOf(url), `ours ${n}`);
        change.run(`theirs ${n}`, id);
        assert.equal(await bodyOf(url), `theirs ${n}`);
        change.run(`ours ${n}`, id);
      }
    }
    otherProcess.prepare('delete from notes where id = ?').run(id);
    assert.equal(await bodyOf(`/v1/notes/${id}`), 404);
    assert.equal(await bodyOf('/v1/notes?search=body:ours'), undefined);
  });

  it('show each caller only the rows that this caller may see', async () => {
    for (const as of ['alice', 'bob']) await service.request('POST', '/v1/owners', { token: as, json: { name: as } });
    const names = async (as: string) =>
      (await service.request('GET', '/v1/owners', { token: as })).rows.map(({ name }) => name);
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await names('alice'), ['alice']);
      assert.deepEqual(await names('alice'), ['alice']);
      assert.deepEqual(await names('bob'), ['bob']);
      assert.deepEqual((await names('admin')).sort(), ['alice', 'bob']);
    }
  });
});
