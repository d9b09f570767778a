import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { sql } from 'kysely';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { type ResourceService, type Row, resourceServices } from '../../../test/harness/resource-service.ts';
import { withMigrationLock } from '../../database/locks/migration-lock.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { hasMany } from '../declaration/relations.ts';
import { computed, integer, reference, text } from '../declare.ts';

let written = 0;
const letters = defineResource({
  name: 'letters',
  fields: {
    body: text({ max: 1_000_000 }),
    pages: integer({ sortable: true }),
    folder_id: reference('folders'),
    length: computed({ as: 'integer', from: ['body'] }, ({ body }) => {
      written++;
      return body?.length ?? 0;
    }),
  },
  access: { read: 'auth:api', write: 'auth:api' },
});
const folders = defineResource({
  name: 'folders',
  fields: { name: text({ required: true }) },
  relations: { letters: hasMany('letters', { by: 'folder_id' }) },
  access: { read: 'auth:api', write: 'auth:api' },
});

interface Entry {
  readonly status: number;
  readonly etag: string;
  readonly data?: Row;
}

/** A hundred of these rows are larger than 16 MiB. */
const length = 200_000;

onBothEngines('Long rows', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let folderId: string;
  let ids: string[];

  before(async () => {
    service = await start([folders, letters]);
    folderId = (await service.request('POST', '/v1/folders', { json: { name: 'all' } })).row.id;
    const rows = Array.from({ length: 100 }, (_, pages) => ({ pages, folder_id: folderId }));
    const created = await service.request('POST', '/v1/letters/batches', { json: { rows } });
    ids = (created.rows as unknown as Entry[]).map(({ data }) => (data as Row).id);
    await withMigrationLock(service.context.database, (tx) =>
      sql`update letters set body = ${'a'.repeat(length)}`.execute(tx),
    );
  });

  it('end a page by cursor before its limit', async () => {
    const found: string[] = [];
    let pages = 0;
    for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; pages++) {
      const query = new URLSearchParams({ limit: '100', orderBy: 'pages', sortedBy: 'desc', cursor });
      const { status, rows, pagination } = await service.request('GET', `/v1/letters?${query}`);
      assert.equal(status, 200);
      assert.equal(pagination.count, rows.length);
      assert.equal(pagination.links.next === null, pagination.next_cursor === null);
      found.push(...rows.map(({ id }) => id));
      cursor = pagination.next_cursor;
    }
    assert.deepEqual([found, pages], [ids.toReversed(), 2]);
  });

  it('are not all written as JSON if they are too long for an include', async () => {
    written = 0;
    const { status, problem } = await service.request('GET', `/v1/folders/${folderId}?include=letters`);
    assert.deepEqual([status, problem.code], [503, 'too_expensive']);
    assert.ok(written < 90, `${written} rows`);
  });

  it('are not all in the response to a batch that changes them', async () => {
    const rows = ids.map((id) => ({ id, pages: 7 }));
    const response = await service.request('PATCH', '/v1/letters/batches', { json: { rows } });
    assert.equal(response.status, 200);
    const entries = response.rows as unknown as Entry[];
    assert.ok(entries.every(({ status, etag }) => status === 200 && etag.startsWith('"')));
    const shown = entries.flatMap(({ data }) => (data ? [data.id] : []));
    assert.ok(shown.length > 70 && shown.length < 90, `${shown.length} rows`);
    const { rows: changed } = await service.request('GET', '/v1/letters?limit=100&filter=pages');
    assert.deepEqual(new Set(changed.map(({ pages }) => pages)), new Set([7]));
  });
});
