import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { checkDefinitions } from '../../../extensions/declaration-checks/check-definitions.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { garage } from '../../../test/harness/garage.ts';
import { idOf, type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';
import { anyOf, equals, owner, related, role } from '../declaration/access.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { belongsTo, hasMany } from '../declaration/relations.ts';
import { reference, text } from '../declare.ts';

const open = { read: 'auth:api', write: 'auth:api' } as const;

const folders = defineResource({
  name: 'folders',
  softDelete: true,
  fields: { name: text({ required: true, unique: true, searchable: true, sortable: true }) },
  relations: { files: hasMany('files', { by: 'folder_id' }), notes: hasMany('notes', { by: 'folder_id' }) },
  access: open,
});

const files = defineResource({
  name: 'files',
  softDelete: true,
  fields: {
    name: text({ required: true, searchable: true }),
    folder_id: reference('folders', { required: true, onDelete: 'cascade' }),
    user_id: reference('users', { default: ({ caller }) => caller.userId }),
  },
  uniqueTogether: [['folder_id', 'name']],
  relations: { folder: belongsTo('folders', { by: 'folder_id' }) },
  access: { read: 'auth:api', write: 'auth:api', delete: anyOf(role('admin'), owner('user_id')) },
  events: true,
});

/** Callers without the role see only the categories in a parent named `shared`. */
const categories = defineResource({
  name: 'categories',
  singular: 'category',
  softDelete: true,
  fields: {
    name: text({ required: true, searchable: true, sortable: true }),
    parent_id: reference('categories', { onDelete: 'set null' }),
  },
  relations: { parent: belongsTo('categories', { by: 'parent_id' }) },
  access: {
    read: anyOf(role('admin'), () => related('parent', equals('name', 'shared'))),
    write: role('admin'),
    delete: 'auth:api',
  },
});

const notes = defineResource({
  name: 'notes',
  fields: { text: text({ required: true }), folder_id: reference('folders', { required: true }) },
  relations: { folder: belongsTo('folders', { by: 'folder_id' }) },
  access: open,
});

describe('Declarations of soft delete', () => {
  const mistakeOf = (declaration: object): string => {
    try {
      checkDefinitions([
        defineResource({ name: 'things', fields: {}, access: open, ...declaration }),
        folders,
        files,
        notes,
        ...garage,
      ]);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('are refused if soft delete is impossible', () => {
    assert.equal(mistakeOf({ softDelete: true }), '');
    assert.match(mistakeOf({ softDelete: 'yes' }), /softDelete: expected true or false/);
    assert.match(mistakeOf({ softDelete: true, fields: { deleted_at: text() } }), /every row already has/);
    assert.match(mistakeOf({ softDelete: true, remove: async () => undefined }), /leave one of the two out/);
    assert.match(
      mistakeOf({ fields: { folder_id: reference('folders', { onDelete: 'cascade' }) } }),
      /folders has softDelete: set softDelete here too/,
    );
  });
});

onBothEngines('Soft delete', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  const request: ResourceService['request'] = (...request) => service.request(...request);
  const make = async (path: string, json: object, token = 'admin') => {
    const created = await request('POST', path, { json, token });
    assert.equal(created.status, 201, created.text);
    return created.row;
  };
  const names = async (path: string, token = 'admin') => {
    const response = await request('GET', path, { token });
    assert.equal(response.status, 200, response.text);
    return response.rows.map(({ name }) => name);
  };

  before(async () => {
    service = await start([...garage, categories, folders, files, notes]);
  });

  it('hides deleted rows everywhere, and restores them', async () => {
    const folder = await make('/v1/folders', { name: 'taxes' });
    assert.equal(folder.deleted_at, null);
    const path = `/v1/folders/${folder.id}`;
    const gone = await request('DELETE', path);
    assert.equal(gone.status, 204, gone.text);
    assert.equal((await request('GET', path)).status, 404);
    assert.equal((await request('PATCH', path, { json: { name: 'x' } })).status, 404);
    assert.equal((await request('DELETE', path)).status, 404);
    assert.equal((await request('GET', `${path}/files`)).status, 404);
    assert.deepEqual(await names('/v1/folders?search=name:taxes'), []);
    assert.deepEqual((await request('GET', '/v1/folders?aggregate=count')).rows as unknown[], [{ count: 0 }]);
    const refused = await request('POST', '/v1/notes', { json: { text: 'x', folder_id: folder.id } });
    assert.equal(refused.problem.errors[0]?.code, 'not_found', refused.text);

    assert.deepEqual(await names('/v1/folders?deleted=only'), ['taxes']);
    const kept = await request('GET', `${path}?deleted=with`);
    assert.match(String(kept.row.deleted_at), /^\d{4}-.*Z$/);
    const restored = await request('POST', `${path}/restorations`);
    assert.equal(restored.status, 200, restored.text);
    assert.equal(restored.row.deleted_at, null);
    const found = await request('GET', path);
    assert.equal(found.headers.get('etag'), restored.headers.get('etag'));
    assert.equal((await request('POST', `${path}/restorations`)).status, 200);
    assert.deepEqual(await names('/v1/folders?deleted=only'), []);
    await request('DELETE', path);
  });

  it('applies unique constraints only to rows that are not deleted', async () => {
    const first = await make('/v1/folders', { name: 'unique' });
    assert.equal((await request('POST', '/v1/folders', { json: { name: 'unique' } })).problem.errors[0]?.code, 'taken');
    await request('DELETE', `/v1/folders/${first.id}`);
    const second = await make('/v1/folders', { name: 'unique' });
    const refused = await request('POST', `/v1/folders/${first.id}/restorations`);
    assert.equal(refused.status, 422, refused.text);
    assert.deepEqual([refused.problem.errors[0]?.field, refused.problem.errors[0]?.code], ['name', 'taken']);
    await request('DELETE', `/v1/folders/${second.id}`);
    assert.equal((await request('POST', `/v1/folders/${first.id}/restorations`)).status, 200);
    assert.deepEqual(await names('/v1/folders?search=name:unique&deleted=with'), ['unique', 'unique']);
  });

  it('deletes and restores dependent rows, and keeps rows that others refer to', async () => {
    const folder = await make('/v1/folders', { name: 'along' });
    const [one, two] = [
      await make('/v1/files', { name: 'one', folder_id: folder.id }),
      await make('/v1/files', { name: 'two', folder_id: folder.id }),
    ];
    await request('DELETE', `/v1/files/${one.id}`);
    service.advance(1000);
    const note = await make('/v1/notes', { text: 'x', folder_id: folder.id });
    const refused = await request('DELETE', `/v1/folders/${folder.id}`);
    assert.deepEqual([refused.status, refused.problem.code], [409, 'still_referred_to'], refused.text);
    assert.deepEqual(await names(`/v1/folders/${folder.id}/files`), ['two']);
    await request('DELETE', `/v1/notes/${note.id}`);
    assert.equal((await request('DELETE', `/v1/folders/${folder.id}`)).status, 204);
    assert.equal((await request('GET', `/v1/files/${two.id}`)).status, 404);
    const alone = await request('POST', `/v1/files/${two.id}/restorations`);
    assert.deepEqual([alone.status, alone.problem.errors?.[0]?.code], [422, 'deleted'], alone.text);
    assert.equal((await request('POST', `/v1/folders/${folder.id}/restorations`)).status, 200);
    // The first file was deleted earlier and separately.
    assert.deepEqual(await names(`/v1/folders/${folder.id}/files`), ['two']);
  });

  it('shows and restores deleted rows only for callers who may delete them', async () => {
    const folder = await make('/v1/folders', { name: 'rules' });
    const file = await make('/v1/files', { name: 'mine', folder_id: folder.id }, 'alice');
    assert.equal((await request('DELETE', `/v1/files/${file.id}`, { token: 'bob' })).status, 403);
    assert.equal((await request('DELETE', `/v1/files/${file.id}`, { token: 'alice' })).status, 204);
    assert.equal(file.user_id, idOf('alice'));
    for (const which of ['only', 'with']) {
      assert.ok(!(await names(`/v1/files?deleted=${which}`, 'bob')).includes('mine'));
      assert.ok((await names(`/v1/files?deleted=${which}`, 'alice')).includes('mine'));
    }
    assert.deepEqual(
      (await request('GET', '/v1/files?deleted=only&aggregate=count', { token: 'bob' })).rows as unknown[],
      [{ count: 0 }],
    );
    assert.equal((await request('POST', `/v1/files/${file.id}/restorations`, { token: 'bob' })).status, 404);
    assert.equal(
      (await request('POST', `/v1/files/${file.id}/restorations`, { token: 'alice-files:read' })).status,
      403,
    );
    assert.equal((await request('POST', `/v1/files/${file.id}/restorations`, { token: 'alice' })).status, 200);
    const { rows } = await service.context.database.db
      .selectFrom('events')
      .select('type')
      .where('row_id', '=', file.id)
      .orderBy('id')
      .execute()
      .then((found) => ({ rows: found.map(({ type }) => type) }));
    assert.deepEqual(rows, ['files.created', 'files.deleted', 'files.restored']);
  });

  it('does not apply the parameter to rows that a relation reaches', async () => {
    const parent = await make('/v1/categories', { name: 'shared' });
    const child = await make('/v1/categories', { name: 'child', parent_id: parent.id });
    await request('DELETE', `/v1/categories/${child.id}`);
    for (const deleted of ['only', 'with']) {
      const included = await request('GET', `/v1/categories?search=name:child&deleted=${deleted}&include=parent`);
      assert.deepEqual(included.rows[0]?.parent, { data: parent }, deleted);
      assert.deepEqual(await names(`/v1/categories?search=parent.name:shared&deleted=${deleted}`), ['child']);
      assert.deepEqual(await names(`/v1/categories?deleted=${deleted}`, 'alice'), ['child'], 'by the rule');
    }
    await request('DELETE', `/v1/categories/${parent.id}`);
    for (const deleted of ['only', 'with']) {
      const included = await request('GET', `/v1/categories/${child.id}?deleted=${deleted}&include=parent`);
      assert.deepEqual(included.row.parent, { data: null });
      assert.deepEqual(await names(`/v1/categories?search=parent.name:shared&deleted=${deleted}`), []);
      assert.deepEqual(await names(`/v1/categories?deleted=${deleted}`, 'alice'), []);
    }
  });

  it('permanently deletes a row that is already deleted', async () => {
    const folder = await make('/v1/folders', { name: 'for good' });
    const path = `/v1/folders/${folder.id}`;
    assert.equal((await request('DELETE', `${path}?deleted=only`)).status, 404);
    await request('DELETE', path);
    assert.equal((await request('DELETE', `${path}?deleted=only`)).status, 204);
    assert.equal((await request('POST', `${path}/restorations`)).status, 404);
    assert.equal((await request('DELETE', `${path}?deleted=with`)).status, 400);
    assert.equal((await request('GET', '/v1/notes?deleted=only')).problem.code, 'parameter_unknown');
  });
});
