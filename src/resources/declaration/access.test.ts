import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { garage } from '../../../test/harness/garage.ts';
import { idOf, type ResourceService, type Row, resourceServices } from '../../../test/harness/resource-service.ts';
import { all, allOf, among, anyOf, compare, equals, isNull, lists, owner, related, role } from './access.ts';
import { defineResource } from './define-resource.ts';
import { boolean } from './fields/boolean.ts';
import { list } from './fields/list.ts';
import { integer } from './fields/numeric.ts';
import { reference } from './fields/reference.ts';
import { text } from './fields/text.ts';
import { belongsTo, hasMany, listsNames, namedBy } from './relations.ts';

const open = { read: 'auth:api', write: 'auth:api' } as const;

/** Every user may read published notes and their own notes. Only authors may write their notes. Deleted notes are hidden from everyone. */
const notes = defineResource({
  name: 'notes',
  fields: {
    title: text({ required: true, searchable: true, sortable: true }),
    published: boolean({ default: false }),
    deleted: boolean({ hidden: true }),
    level: integer({ default: 0 }),
    labels: list(),
    author_id: reference('users', { default: ({ caller }) => caller.userId }),
  },
  relations: {
    author: belongsTo('users', { by: 'author_id' }),
    remarks: hasMany('remarks', { by: 'note_id' }),
    label_details: listsNames('labels', { list: 'labels', key: 'name' }),
  },
  where: () => isNull('deleted'),
  access: {
    read: anyOf(role('admin'), owner('author_id'), () => equals('published', true)),
    write: allOf(owner('author_id'), () => compare('level', '<', 5)),
    delete: role('admin'),
  },
  async remove({ tx }, { id }) {
    const notes = tx.withTables<{ notes: { id: string; deleted: number } }>().updateTable('notes');
    await notes.set({ deleted: 1 }).where('id', '=', id).execute();
  },
});

/** A remark is visible if its note is published. */
const remarks = defineResource({
  name: 'remarks',
  fields: { body: text({ required: true }), note_id: reference('notes', { required: true, onDelete: 'cascade' }) },
  relations: { note: belongsTo('notes', { by: 'note_id' }) },
  access: { read: () => related('note', equals('published', true)), write: 'auth:api' },
});

const labels = defineResource({
  name: 'labels',
  fields: { name: text({ required: true, unique: true }) },
  relations: { notes: namedBy('notes', { list: 'labels', key: 'name' }) },
  access: open,
});

/** One rule of each kind. */
const gauges = defineResource({
  name: 'gauges',
  fields: { size: integer({ required: true, sortable: true }), tags: list({ default: [] }), note: text() },
  access: {
    read: (caller) =>
      all(
        compare('size', '>', 1),
        compare('size', '<=', 8),
        compare('note', '!=', 'hidden'),
        caller.roles.includes('admin') || among('size', [2, 3, 5]),
        caller.roles.includes('admin') || lists('tags', "o'k"),
      ),
    write: 'auth:api',
  },
});

onBothEngines('Access', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  const request: ResourceService['request'] = (...request) => service.request(...request);
  const titles = async (path: string, token: string) =>
    (await request('GET', path, { token })).rows.map(({ title }) => title);
  const note = async (token: string, json: object) => {
    const created = await request('POST', '/v1/notes', { token, json });
    assert.equal(created.status, 201, created.text);
    return created.row;
  };
  before(async () => {
    service = await start([...garage, notes, remarks, labels, gauges]);
  });

  it('shows only visible rows in lists, alone, nested and embedded', async () => {
    const hidden = await note('alice', { title: 'hidden' });
    const shown = await note('alice', { title: 'shown', published: true, labels: ['x'] });
    assert.deepEqual(await titles('/v1/notes', 'alice'), ['hidden', 'shown']);
    assert.deepEqual(await titles('/v1/notes', 'bob'), ['shown']);
    assert.equal((await request('GET', '/v1/notes', { token: 'bob' })).pagination.total, 1);
    assert.deepEqual(await titles('/v1/notes?search=title:hidden', 'bob'), []);
    assert.deepEqual(await titles('/v1/notes?search=title:hidden;title:shown&searchJoin=or', 'bob'), ['shown']);
    assert.equal((await request('GET', `/v1/notes/${hidden.id}`, { token: 'bob' })).status, 404);
    for (const { id } of [hidden, shown]) {
      const created = await request('POST', '/v1/remarks', { token: 'alice', json: { body: 'x', note_id: id } });
      assert.equal(created.status, 201, created.text);
    }
    const unseen = await request('POST', '/v1/remarks', { token: 'bob', json: { body: 'x', note_id: hidden.id } });
    assert.equal(unseen.problem.errors[0]?.code, 'not_found', 'a caller cannot refer to an invisible row');
    assert.equal((await request('GET', '/v1/remarks', { token: 'alice' })).rows.length, 1);
    assert.equal((await request('GET', `/v1/notes/${hidden.id}/remarks`, { token: 'bob' })).status, 404);
    assert.equal((await request('GET', `/v1/notes/${shown.id}/remarks`, { token: 'bob' })).rows.length, 1);
    await request('POST', '/v1/labels', { json: { name: 'x' } });
    const embedded = await request('GET', `/v1/notes/${shown.id}?include=author,label_details&filter=id`, {
      token: 'bob',
    });
    assert.deepEqual(embedded.row.author, { data: null }, 'bob may not see the user alice');
    assert.equal((embedded.row.label_details as { data: unknown[] }).data.length, 1);
    const label = (await request('GET', '/v1/labels?include=notes', { token: 'bob' })).rows[0] as Row;
    assert.deepEqual(
      (label.notes as { data: { id: string }[] }).data.map(({ id }) => id),
      [shown.id],
    );
    assert.deepEqual(await titles(`/v1/labels/${label.id}/notes`, 'bob'), ['shown']);
  });

  it('responds 404 for an invisible row and 403 for a row that the caller may not write', async () => {
    const hidden = await note('alice', { title: 'a' });
    const shown = await note('alice', { title: 'b', published: true });
    for (const [method, json] of [
      ['PATCH', { title: 'c' }],
      ['PUT', { title: 'c' }],
      ['DELETE', undefined],
    ] as const) {
      assert.equal((await request(method, `/v1/notes/${hidden.id}`, { token: 'bob', json })).status, 404, method);
      assert.equal((await request(method, `/v1/notes/${shown.id}`, { token: 'bob', json })).status, 403, method);
    }
    assert.equal((await request('DELETE', `/v1/notes/${shown.id}`, { token: 'alice' })).status, 403);
    assert.equal(
      (await request('PATCH', `/v1/notes/${shown.id}`, { token: 'alice', json: { title: 'c' } })).status,
      200,
    );
  });

  it('does not let a caller write a row that the caller may not write afterwards', async () => {
    const mine = await note('alice', { title: 'mine' });
    const foreign = await request('POST', '/v1/notes', {
      token: 'alice',
      json: { title: 'x', author_id: idOf('bob') },
    });
    assert.equal(foreign.status, 422, 'alice does not see bob at all');
    for (const method of ['PATCH', 'PUT']) {
      const raised = await request(method, `/v1/notes/${mine.id}`, { token: 'alice', json: { title: 'x', level: 5 } });
      assert.equal(raised.status, 403, raised.text);
    }
    assert.equal((await request('POST', '/v1/notes', { token: 'alice', json: { title: 'x', level: 5 } })).status, 403);
    assert.equal((await request('GET', `/v1/notes/${mine.id}`, { token: 'alice' })).row.title, 'mine');
    const asAdmin = await request('POST', '/v1/notes', {
      token: 'admin',
      json: { title: 'x', author_id: idOf('bob') },
    });
    assert.equal(asAdmin.status, 403, 'administrators are an exception only if the rule names them');
  });

  it('keeps the owner of a row when another caller replaces it', async () => {
    const { id } = (await request('POST', '/v1/owners', { token: 'alice', json: { name: 'Alice' } })).row;
    const put = await request('PUT', `/v1/owners/${id}`, { token: 'admin', json: { name: 'Alicia' } });
    assert.equal(put.status, 200, put.text);
    assert.deepEqual([put.row.name, put.row.user_id], ['Alicia', idOf('alice')]);
  });

  it('hides a deleted row from all callers', async () => {
    const { id } = await note('alice', { title: 'short-lived', published: true });
    assert.equal((await request('DELETE', `/v1/notes/${id}`, { token: 'admin' })).status, 204);
    for (const token of ['admin', 'alice']) {
      assert.equal((await request('GET', `/v1/notes/${id}`, { token })).status, 404);
      assert.ok(!(await titles('/v1/notes?limit=100', token)).includes('short-lived'));
    }
  });

  it('turns every kind of condition into SQL', async () => {
    for (const size of [1, 2, 3, 5, 8, 9])
      await request('POST', '/v1/gauges', { token: 'admin', json: { size, tags: ["o'k"] } });
    await request('POST', '/v1/gauges', { json: { size: 2, tags: [] } });
    await request('POST', '/v1/gauges', { json: { size: 2, tags: ["o'k"], note: 'hidden' } });
    const sizes = async (token: string) =>
      (await request('GET', '/v1/gauges?orderBy=size', { token })).rows.map(({ size }) => size);
    assert.deepEqual(await sizes('bob'), [2, 3, 5]);
    assert.deepEqual(await sizes('admin'), [2, 2, 3, 5, 8]);
  });

  it('requires the scopes of all resources that are read, embedded or written', async () => {
    assert.equal((await request('GET', '/v1/notes', { token: 'alice-notes:read' })).status, 200);
    assert.equal((await request('GET', '/v1/notes', { token: 'alice-notes:write' })).status, 403);
    assert.equal((await request('POST', '/v1/notes', { token: 'alice-notes:read', json: { title: 'x' } })).status, 403);
    const embed = await request('GET', '/v1/notes?include=author', { token: 'alice-notes:read' });
    assert.equal(embed.status, 403);
    assert.match(String(embed.headers.get('www-authenticate')), /insufficient_scope.*users:read/);
    assert.equal(
      (await request('GET', '/v1/notes?include=author', { token: 'alice-notes:read-users:read' })).status,
      200,
    );
    const { id } = await note('alice', { title: 'x' });
    assert.equal((await request('GET', `/v1/notes/${id}/remarks`, { token: 'alice-notes:read' })).status, 403);
  });

  it('lets only administrators search by a reference that is not searchable', async () => {
    const search = '/v1/assignments?search=driver_id:0199d0a0-7c00-7000-8000-000000000000';
    assert.equal((await request('GET', search, { token: 'admin' })).status, 200);
    const other = await request('GET', search, { token: 'bob' });
    assert.deepEqual([other.status, other.problem.code], [400, 'field_unknown']);
    assert.match(other.problem.detail, /^search: the field "driver_id" is not searchable\. /);
    const nowhere = await request('GET', '/v1/assignments?search=nonsense:1', { token: 'bob' });
    assert.match(nowhere.problem.detail, /^search: the field "nonsense" is unknown\. /);
  });

  it('lets everybody read a public resource, and nobody write without a token', async () => {
    assert.equal((await request('GET', '/v1/drivers', { token: null })).status, 200);
    assert.equal((await request('GET', '/v1/drivers', { token: 'alice-cars:read' })).status, 403);
    assert.equal((await request('GET', '/v1/drivers', { token: 'nonsense' })).status, 401);
    assert.equal((await request('POST', '/v1/drivers', { token: null, json: { name: 'x' } })).status, 401);
    assert.equal((await request('POST', '/v1/drivers', { token: 'alice', json: { name: 'x' } })).status, 403);
    assert.equal((await request('GET', '/v1/notes', { token: null })).status, 401);
  });
});
