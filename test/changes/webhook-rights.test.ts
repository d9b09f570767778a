import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { sql } from 'kysely';
import { onBothEngines } from '../harness/engines.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { password, patchUser, registerUser } from '../harness/people.ts';
import { type JsonResponse, logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { startReceiver } from './receiver.ts';

const resources = new URL('./resources', import.meta.url).pathname;

interface Made {
  data: { id: string; active: boolean; disabled_reason: string | null };
  errors: { field: string; message: string }[];
}
interface States {
  data: { state: string }[];
}

onBothEngines('A webhook with resources that its owner may not read', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resources } });
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
  });

  const hook = (json: object, token: string): Promise<JsonResponse<Made>> =>
    request<Made>(service, '/v1/webhooks', { json, token });
  const change = (id: string, json: object, token: string): Promise<JsonResponse<Made>> =>
    request<Made>(service, `/v1/webhooks/${id}`, { method: 'PATCH', json, token });
  const note = (title: string) => request(service, '/v1/notes', { json: { title }, token: admin });
  /** The search then names a field that does not exist, as after a field was renamed. */
  const rename = (field: string, id: string) =>
    sql`update webhooks set search = ${`${field}:n*`}, version = version + 1 where id = ${id}`.execute(
      service.context.database.db,
    );
  /** An administrator, until the role is removed. */
  const addAdmin = async () => {
    const person = await registerUser(service);
    await patchUser(service, person.id, { roles: ['admin'] }, admin);
    return { ...person, token: await logIn(service, person.email, password) };
  };
  const untilDisabled = async (id: string) => {
    for (;;) {
      const { data } = (await request<Made>(service, `/v1/webhooks/${id}`, { token: admin })).body;
      if (!data.active) return data.disabled_reason;
      await sql`update webhook_deliveries set next_attempt_at = 0 where webhook_id = ${id}`.execute(
        service.context.database.db,
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('delivers the other resources', async () => {
    const receiver = await startReceiver();
    const bob = await addAdmin();
    const made = await hook({ url: receiver.url, resources: ['sessions', 'notes'] }, bob.token);
    assert.equal(made.status, 201);
    await patchUser(service, bob.id, { roles: [] }, admin);
    await note('seen');
    const [one] = await receiver.until(1);
    assert.equal(one?.body.type, 'notes.created');
  });

  it('is refused when reading a resource requires a proof, because deliveries have none', async () => {
    const bob = await registerUser(service);
    const url = 'https://example.com';
    const { status, body } = await hook({ url, resources: ['notes', 'vaults'] }, bob.token);
    assert.equal(status, 422);
    assert.match(JSON.stringify(body.errors), /"resources".*proof/);
    const inactive = await hook({ url, resources: ['vaults'], active: false }, bob.token);
    assert.equal(inactive.status, 201);
    assert.equal((await change(inactive.body.data.id, { active: true }, bob.token)).status, 422);
  });

  it('is disabled when a field of its search does not exist any more, and then loses no change', async () => {
    const receiver = await startReceiver();
    const bob = await addAdmin();
    const json = { url: receiver.url, resources: ['owners'], search: 'name:n*' };
    const { id } = (await hook(json, bob.token)).body.data;
    await rename('title', id);
    await request(service, '/v1/owners', { json: { name: 'n1' }, token: admin });
    assert.match((await untilDisabled(id)) as string, /title/);
    assert.equal((await mailsTo(service, 'webhook-disabled', bob.email)).length, 1);
    assert.equal((await change(id, { search: 'name:n*', active: true }, bob.token)).status, 200);
    const [one] = await receiver.until(1);
    assert.match(JSON.stringify(one?.body.data.after), /"n1"/);
  });

  it('delivers no resource that the owner may not read because of ROLE_SCOPES', async () => {
    const env = { RESOURCES_DIR: resources, ROLES: 'driver', ROLE_SCOPES: 'driver=owners:read owners:write' };
    const limited = await start({ env });
    const root = await logIn(limited, 'admin@example.com', 'correct horse battery');
    const bob = await registerUser(limited);
    const receiver = await startReceiver();
    const json = { url: receiver.url, resources: ['notes', 'owners'] };
    const { id } = (await request<Made>(limited, '/v1/webhooks', { json, token: bob.token })).body.data;
    assert.equal((await patchUser(limited, bob.id, { roles: ['driver'] }, root)).status, 200);
    assert.equal((await request(limited, '/v1/notes', { json: { title: 'hidden' }, token: root })).status, 201);
    assert.equal((await request(limited, '/v1/owners', { json: { name: 'n0' }, token: bob.token })).status, 201);
    const [one] = await receiver.until(1);
    assert.equal(one?.body.type, 'owners.created');
    const { body } = await request<States>(limited, `/v1/webhooks/${id}/deliveries`, { token: root });
    assert.equal(body.data.length, 1);
  });

  it('is disabled when a field of its search does not exist any more while a delivery waits', async () => {
    const receiver = await startReceiver(() => 503);
    const bob = await addAdmin();
    const json = { url: receiver.url, resources: ['owners'], search: 'name:n*' };
    const { id } = (await hook(json, bob.token)).body.data;
    await request(service, '/v1/owners', { json: { name: 'n2' }, token: admin });
    await receiver.until(1);
    await rename('title', id);
    assert.match((await untilDisabled(id)) as string, /title/);
    const { body } = await request<States>(service, `/v1/webhooks/${id}/deliveries`, { token: bob.token });
    assert.deepEqual(
      body.data.map(({ state }) => state),
      ['waiting'],
    );
  });
});
