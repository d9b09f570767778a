import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';
import { defineResource, hasMany, list, listsNames, manyToMany, namedBy, reference, text } from '../declare.ts';
import { isInTransaction } from '../write/write-transaction.ts';

const access = { read: 'auth:api', write: 'auth:api' } as const;
const albumReferences = {
  album_id: reference('albums', { required: true }),
  label_id: reference('labels', { required: true }),
};

const albums = defineResource({
  name: 'albums',
  fields: { name: text({ required: true }) },
  relations: {
    labels: manyToMany('labels', { through: 'labellings', from: 'album_id', to: 'label_id' }),
    old_labels: manyToMany('labels', { through: 'old-labellings', from: 'album_id', to: 'label_id' }),
    tracks: hasMany('tracks', { by: 'album_id' }),
  },
  access,
});
const labels = defineResource({
  name: 'labels',
  fields: { name: text({ required: true, searchable: true }) },
  access,
});
const labellings = defineResource({
  name: 'labellings',
  fields: { ...albumReferences, note: text() },
  access,
  hooks: { prepare: (_call, { values }) => ({ note: `${values.album_id} ${values.label_id} ${isInTransaction()}` }) },
});
const oldLabellings = defineResource({
  name: 'old-labellings',
  fields: albumReferences,
  access,
  operations: ['list', 'find'],
});
const songs = defineResource({
  name: 'songs',
  fields: { moods: list() },
  relations: { mood_details: listsNames('moods', { list: 'moods', key: 'name' }) },
  access,
});
const moods = defineResource({
  name: 'moods',
  fields: { name: text({ required: true, unique: true }) },
  relations: { songs: namedBy('songs', { list: 'moods', key: 'name' }) },
  access,
});
const tracks = defineResource({ name: 'tracks', fields: { album_id: albumReferences.album_id }, access });

onBothEngines('Nested routes', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let album: string;
  before(async () => {
    service = await start([albums, labels, labellings, oldLabellings, songs, moods, tracks]);
    album = (await service.request('POST', '/v1/albums', { json: { name: 'a' } })).row.id;
  });
  const responses = async (scopes: string[], name: string, json: object) => {
    const token = ['alice', ...scopes].join('-');
    const path = `/v1/albums/${album}/${name}`;
    return [
      await service.request('GET', path, { token }),
      await service.request('POST', path, { token, json }),
    ] as const;
  };
  const statuses = async (...args: Parameters<typeof responses>) =>
    (await responses(...args)).map(({ status }) => status);

  it('require the scopes of the target and of the resource that connects it', async () => {
    const label = { name: 'x' };
    const both = ['labels:read', 'labels:write'];
    const [list, create] = await responses(both, 'labels', label);
    assert.deepEqual([list.status, create.status], [403, 403]);
    assert.match(list.problem.detail, /"labels:read labellings:read"/);
    assert.match(create.problem.detail, /"labels:write labellings:write"/);
    const links = ['labellings:read', 'labellings:write'];
    assert.deepEqual(await statuses(links, 'labels', label), [403, 403], 'not without the target');
    assert.equal((await service.request('GET', '/v1/labels')).rows.length, 0);
    assert.deepEqual(await statuses([...both, ...links], 'labels', label), [200, 201]);
    assert.deepEqual(await statuses(['*'], 'labels', label), [200, 201]);
    assert.deepEqual(await statuses(['tracks:read', 'tracks:write'], 'tracks', {}), [200, 201]);
  });

  it('require the scope of the parent if they follow a field of it', async () => {
    const mood = (await service.request('POST', '/v1/moods', { json: { name: 'calm' } })).row;
    const song = (await service.request('POST', '/v1/songs', { json: { moods: ['calm'] } })).row;
    const paths = [`/v1/songs/${song.id}/mood_details`, `/v1/moods/${mood.id}/songs`];
    const read = async (token: string) =>
      Promise.all(paths.map(async (path) => (await service.request('GET', path, { token })).status));
    assert.deepEqual(await read('alice-moods:read'), [403, 403]);
    assert.deepEqual(await read('alice-songs:read'), [403, 403]);
    assert.deepEqual(await read('alice-songs:read-moods:read'), [200, 200]);
  });

  it('have the same scopes as an include and a search', async () => {
    for (const query of ['include=labels', 'search=labels.name:x', 'aggregate=count&search=labels.name:x']) {
      const read = (token: string) => service.request('GET', `/v1/albums?${query}`, { token });
      const refused = await read('alice-albums:read-labels:read');
      assert.deepEqual([refused.status, refused.problem.code], [403, 'insufficient_scope'], query);
      assert.match(refused.problem.detail, /"labellings:read"/);
      assert.equal((await read('alice-albums:read-labellings:read')).status, 403, 'not without the target');
      assert.equal((await read('alice-albums:read-labels:read-labellings:read')).status, 200, query);
    }
  });

  it('name their scopes in the OpenAPI document', async () => {
    const { paths } = JSON.parse((await service.request('GET', '/openapi.json')).text);
    const { get, post } = paths['/v1/albums/{id}/labels'];
    const scopesOf = (described: { security: { oauth2?: string[] }[] }) =>
      described.security.flatMap(({ oauth2 = [] }) => oauth2);
    assert.deepEqual(scopesOf(get), ['labels:read', 'labellings:read']);
    assert.deepEqual(scopesOf(post), ['labels:write', 'labellings:write']);
    assert.match(post.description, /^Needs the scopes `labels:write`, `labellings:write`\./);
  });

  it('create the connecting row as its own resource does', async () => {
    const created = await service.request('POST', `/v1/albums/${album}/labels`, { json: { name: 'y' } });
    assert.equal(created.status, 201);
    const notes = (await service.request('GET', '/v1/labellings?limit=100')).rows.map(({ note }) => note);
    assert.ok(notes.includes(`${album} ${created.row.id} false`), 'the prepare hook ran before the transaction');
    const path = `/v1/albums/${album}/old_labels`;
    assert.equal((await service.request('GET', path)).status, 200);
    assert.equal((await service.request('POST', path, { json: { name: 'z' } })).status, 405, 'nobody may create links');
  });
});
