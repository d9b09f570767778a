import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { uuidv7 } from '../../src/database/uuid.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Person, password, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import type { Change } from './event-reader.ts';
import { readSettled } from './read-settled.ts';

interface Page {
  data: Change[];
  meta: { changes_position: string };
}

onBothEngines('Changes of accounts', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  let after: string;
  let ada: Person;
  before(async () => {
    service = await start();
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    after = (await read('users,sessions,clients,consents')).meta.changes_position;
    ada = await registerUser(service);
  });

  const asked = (resources: string, token = admin) =>
    readSettled<Page>(service, `/v1/changes?resources=${resources}&limit=1000${after ? `&after=${after}` : ''}`, token);
  const read = async (resources: string, token = admin) => (await asked(resources, token)).body;
  const changesOf = async (resources: string) =>
    (await read(resources)).data.map(({ resource, operation }) => `${resource} ${operation}`);

  it('show administrators new, changed and deleted users', async () => {
    const json = { disabled: true };
    const bob = await registerUser(service);
    assert.equal((await request(service, `/v1/users/${bob.id}`, { method: 'PATCH', json, token: admin })).status, 200);
    assert.equal((await request(service, `/v1/users/${bob.id}`, { method: 'DELETE', token: admin })).status, 204);
    const { data } = await read('users');
    const ofBob = data.filter(({ id }) => id === bob.id);
    assert.deepEqual([ofBob[0]?.operation, ofBob.at(-1)?.operation], ['created', 'deleted']);
    const disabled = ofBob.find(({ before: was, after: is }) => is?.disabled === true && was?.disabled === false);
    assert.equal(disabled?.operation, 'updated');
    assert.ok(!/password|hash/.test(JSON.stringify(data)));
  });

  it('show administrators the beginning and the end of sessions', async () => {
    const token = await logIn(service, ada.email, password);
    const { data } = await read('sessions');
    const opened = data.findLast(({ after: is }) => is?.user_id === ada.id);
    assert.deepEqual([opened?.operation, opened?.after?.revoked_at], ['created', null]);
    await request(service, '/v1/logout', { method: 'DELETE', token });
    const ended = (await read('sessions')).data.filter(({ id }) => id === opened?.id);
    assert.deepEqual(
      ended.map(({ operation, after: is }) => [operation, is?.revoked_at !== null]),
      [
        ['created', false],
        ['updated', true],
      ],
    );
    const shown = ['client_id', 'created_at', 'id', 'name', 'revoked_at', 'scopes', 'type', 'user_id'];
    assert.deepEqual(Object.keys(opened?.after ?? {}).sort(), shown);
  });

  it('show administrators clients and consents', async () => {
    const json = { name: 'Robot', type: 'personal' };
    const made = await request<{ data: { id: string } }>(service, '/v1/clients', { json, token: ada.token });
    assert.equal(made.status, 201, made.text);
    const now = service.context.now();
    const consent = { id: uuidv7(now), user_id: ada.id, client_id: made.body.data.id, client_name: 'Robot' };
    const lists = { scopes: '["users:read"]', asked: '["users:read"]', created_at: now, updated_at: now };
    await service.context.database.db
      .insertInto('consents')
      .values({ ...consent, ...lists })
      .execute();
    const token = admin;
    assert.equal((await request(service, `/v1/consents/${consent.id}`, { method: 'DELETE', token })).status, 204);
    assert.deepEqual(await changesOf('clients,consents'), ['clients created', 'consents created', 'consents deleted']);
    assert.ok(
      !/secret/.test(JSON.stringify((await read('clients')).data.map(({ after: is }) => Object.values(is ?? {})))),
    );
  });

  it('show other users only their own rows, and no sessions', async () => {
    assert.equal((await asked('sessions', ada.token)).status, 403);
    const ids = new Set((await read('users', ada.token)).data.map(({ id }) => id));
    assert.deepEqual([...ids], [ada.id]);
    const all = await readSettled<Page>(service, `/v1/changes?after=${after}&limit=1000`, ada.token);
    assert.ok(all.body.data.length > 0);
    assert.ok(all.body.data.every(({ resource }) => resource !== 'sessions'));
    assert.equal((await request(service, '/v1/sessions', { token: admin })).status, 404);
  });
});
