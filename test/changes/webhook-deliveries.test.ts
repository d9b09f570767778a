import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { sql } from 'kysely';
import { ChangeLog } from '../../extensions/changes/log/change-log.ts';
import { pruneOldChanges } from '../../extensions/changes/prune-changes.ts';
import { onBothEngines } from '../harness/engines.ts';
import { password, patchUser, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { startReceiver } from './receiver.ts';

const resources = new URL('./resources', import.meta.url).pathname;

interface Made {
  data: { id: string; active: boolean };
}
interface Delivery {
  id: string;
  operation: string;
  state: string;
  attempts: number;
  response_status: number | null;
  response_body: string | null;
  duration_ms: number | null;
  next_attempt_at: string;
  error: string | null;
}

onBothEngines('Waiting deliveries of a webhook', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resources } });
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
  });

  const hook = async (json: object, token: string) =>
    (await request<Made>(service, '/v1/webhooks', { json, token })).body.data.id;
  /** Repeats the request until the first delivery is as expected. */
  const deliveryOf = async (id: string, token: string, holds: (delivery: Delivery) => boolean): Promise<Delivery> => {
    for (;;) {
      const { body } = await request<{ data: Delivery[] }>(service, `/v1/webhooks/${id}/deliveries`, { token });
      const [first] = body.data;
      if (first && holds(first)) return first;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('are retried for three days again when the webhook is enabled again', async () => {
    const receiver = await startReceiver(() => 500);
    const id = await hook({ url: receiver.url, resources: ['notes'] }, admin);
    await request(service, '/v1/notes', { json: { title: 'one' }, token: admin });
    await deliveryOf(id, admin, ({ response_status: status }) => status === 500);
    const enable = (active: boolean) =>
      request(service, `/v1/webhooks/${id}`, { method: 'PATCH', json: { active }, token: admin });
    await enable(false);
    service.advance(4 * 86_400_000);
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    const already = receiver.received.length;
    assert.equal((await enable(true)).status, 200);
    await receiver.until(already + 1);
    const now = service.context.now();
    const hasEnded = ({ state, next_attempt_at: next }: Delivery) => state !== 'waiting' || Date.parse(next) > now;
    const { state, attempts } = await deliveryOf(id, admin, hasEnded);
    assert.deepEqual([state, attempts], ['waiting', 1]);
    const { body } = await request<Made>(service, `/v1/webhooks/${id}`, { token: admin });
    assert.equal(body.data.active, true);
    await request(service, `/v1/webhooks/${id}`, { method: 'DELETE', token: admin });
  });

  it('are delivered if the response is long, and only its beginning is stored', async () => {
    const receiver = await startReceiver(() => 200, 'long '.repeat(40_000));
    const id = await hook({ url: receiver.url, resources: ['notes'] }, admin);
    await request(service, `/v1/webhooks/${id}/pings`, { method: 'POST', token: admin });
    const { state, error, response_body: body } = await deliveryOf(id, admin, ({ duration_ms: ms }) => ms !== null);
    assert.deepEqual([state, error, body], ['delivered', null, 'long '.repeat(200)]);
    await request(service, `/v1/webhooks/${id}`, { method: 'DELETE', token: admin });
  });

  it('are sent again on request before their next attempt', async () => {
    let status = 500;
    const receiver = await startReceiver(() => status);
    const webhook = await hook({ url: receiver.url, resources: ['notes'] }, admin);
    await request(service, `/v1/webhooks/${webhook}/pings`, { method: 'POST', token: admin });
    const { id, state } = await deliveryOf(webhook, admin, (each) => each.response_status === 500);
    assert.equal(state, 'waiting');
    status = 204;
    const path = `/v1/webhooks/${webhook}/redeliveries`;
    const again = await request(service, path, { json: { deliveries: [id] }, token: admin });
    assert.deepEqual([again.status, again.body.data], [202, { deliveries: 1 }]);
    const sent = await deliveryOf(webhook, admin, (each) => each.state === 'delivered');
    assert.deepEqual([sent.id, sent.attempts, receiver.received.length], [id, 1, 2]);
    await request(service, `/v1/webhooks/${webhook}`, { method: 'DELETE', token: admin });
  });

  it('are created with the current settings, also if these change while the service reads the log', async (test) => {
    const receiver = await startReceiver();
    const id = await hook({ url: receiver.url, resources: ['cars'] }, admin);
    let changed = false;
    const observe = test.mock.method(ChangeLog.prototype, 'observe', async function (this: ChangeLog) {
      if (!changed) {
        changed = true;
        const json = { resources: ['notes'] };
        await request(service, `/v1/webhooks/${id}`, { method: 'PATCH', json, token: admin });
        await request(service, '/v1/notes', { json: { title: 'seen' }, token: admin });
      }
      observe.mock.restore();
      return this.observe();
    });
    const { operation } = await deliveryOf(id, admin, ({ state }) => state === 'delivered');
    assert.equal(operation, 'created');
    await request(service, `/v1/webhooks/${id}`, { method: 'DELETE', token: admin });
  });

  it('whose change was pruned are sent only if the owner may read every row', async () => {
    let status = 503;
    const receiver = await startReceiver(() => status);
    const owner = async () => {
      const person = await registerUser(service);
      await patchUser(service, person.id, { roles: ['admin'] }, admin);
      const token = await logIn(service, person.email, password);
      return { ...person, token, webhook: await hook({ url: receiver.url, resources: ['owners'] }, token) };
    };
    const [kept, demoted, unsubscribed] = [await owner(), await owner(), await owner()];
    await request(service, '/v1/owners', { json: { name: 'hidden' }, token: admin });
    const owners = [kept, demoted, unsubscribed];
    for (const { webhook, token } of owners) await deliveryOf(webhook, token, (each) => each.response_status === 503);
    await patchUser(service, demoted.id, { roles: [] }, admin);
    const json = { resources: ['notes'] };
    const changed = await request(service, `/v1/webhooks/${unsubscribed.webhook}`, {
      method: 'PATCH',
      json,
      token: unsubscribed.token,
    });
    assert.equal(changed.status, 200);
    const { context } = service;
    const later = context.now() + context.config.changesRetention * 1000 + 60_000;
    await pruneOldChanges({ ...context, now: () => later });
    status = 204;
    await sql`update webhook_deliveries set next_attempt_at = 0`.execute(context.database.db);
    const ends = owners.map(({ webhook }) => deliveryOf(webhook, admin, ({ state }) => state !== 'waiting'));
    const [sent, refused, ended] = await Promise.all(ends);
    assert.deepEqual([sent?.state, refused?.state, ended?.state], ['delivered', 'failed', 'failed']);
    assert.match(refused?.error ?? '', /no longer stored/);
  });
});
