import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { before, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { codeFor, redeem, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Person, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { startReceiver } from './receiver.ts';

const resources = new URL('./resources', import.meta.url).pathname;

interface Made {
  data: { id: string; secret: string; active: boolean; disabled_reason: string | null };
  code: string;
}
interface Deliveries {
  data: {
    id: string;
    state: string;
    response_status: number | null;
    attempts: number;
    operation: string;
    error: string | null;
    row_id: string;
  }[];
}

onBothEngines('Webhooks', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  let ada: Person;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resources } });
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    ada = await registerUser(service);
  });

  const hook = async (json: object, token = admin) =>
    (await request<Made>(service, '/v1/webhooks', { json, token })).body.data;
  const make = async (json: object = {}, token = admin) =>
    (await request<Made>(service, '/v1/cars', { json: { plate: `W-${plates++}`, ...json }, token })).body.data.id;
  let plates = 0;
  const deliveries = async (id: string, token = admin) =>
    (await request<Deliveries>(service, `/v1/webhooks/${id}/deliveries`, { token })).body.data;
  /** Repeats the request until the response is as expected. */
  const eventually = async <T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> => {
    for (;;) {
      const value = await read();
      if (holds(value)) return value;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const stop = (id: string) => request(service, `/v1/webhooks/${id}`, { method: 'DELETE', token: admin });

  it('deliver changes in the order of each row, signed by Standard Webhooks', async () => {
    const receiver = await startReceiver();
    const { id, secret } = await hook({ url: receiver.url, resources: ['cars'] });
    assert.match(secret, /^whsec_/);
    const car = await make({ seats: 1 });
    for (const seats of [2, 3, 4]) {
      await request(service, `/v1/cars/${car}`, { method: 'PATCH', json: { seats }, token: admin });
    }
    const received = await receiver.until(4);
    for (const { headers, text } of received) {
      new Webhook(secret).verify(text, headers as Record<string, string>);
      new SvixWebhook(secret).verify(text, headers as Record<string, string>);
    }
    assert.throws(() => new Webhook(secret).verify('{}', received[0]?.headers as Record<string, string>));
    assert.deepEqual(
      received.map(({ body }) => [body.type, (body.data.after as { seats: number }).seats]),
      [
        ['cars.created', 1],
        ['cars.updated', 2],
        ['cars.updated', 3],
        ['cars.updated', 4],
      ],
    );
    const kept = await eventually(
      () => deliveries(id),
      (rows) => rows.every(({ state }) => state === 'delivered'),
    );
    assert.deepEqual([kept.length, kept[0]?.response_status], [4, 204]);
    await stop(id);
  });

  it('sign with ed25519 if requested', async () => {
    const receiver = await startReceiver();
    const { id, secret } = await hook({ url: receiver.url, resources: ['cars'], signature: 'ed25519' });
    assert.match(secret, /^whpk_/);
    await make();
    const [one] = await receiver.until(1);
    const head = Buffer.from('302a300506032b6570032100', 'hex');
    const raw = Buffer.from(secret.slice(5), 'base64');
    const key = createPublicKey({ key: Buffer.concat([head, raw]), format: 'der', type: 'spki' });
    const { 'webhook-id': of, 'webhook-timestamp': at, 'webhook-signature': signature } = one?.headers ?? {};
    const [kind, text] = String(signature).split(',') as [string, string];
    assert.equal(kind, 'v1a');
    assert.ok(verify(null, Buffer.from(`${of}.${at}.${one?.text}`), key, Buffer.from(text, 'base64')));
    await stop(id);
  });

  it('sign with both secrets during a rotation', async () => {
    const receiver = await startReceiver();
    const { id, secret } = await hook({ url: receiver.url, resources: ['cars'] });
    const { body } = await request<Made>(service, `/v1/webhooks/${id}/secrets`, {
      json: { keep_old_hours: 1 },
      token: admin,
    });
    await request(service, `/v1/webhooks/${id}/pings`, { method: 'POST', token: admin });
    const [one] = await receiver.until(1);
    assert.equal(one?.body.type, 'ping');
    for (const each of [secret, body.data.secret]) {
      new Webhook(each).verify(one?.text as string, one?.headers as Record<string, string>);
    }
    await stop(id);
  });

  it('deliver only rows that the owner may see at that time', async () => {
    const receiver = await startReceiver();
    const { id } = await hook({ url: receiver.url, resources: ['cars'], operations: ['created'] }, ada.token);
    await make();
    const own = await make({}, ada.token);
    const [one] = await receiver.until(1);
    assert.equal(one?.body.data.id, own);
    await request(service, `/v1/users/${ada.id}`, { method: 'PATCH', json: { disabled: true }, token: admin });
    await request(service, `/v1/webhooks/${id}/pings`, { method: 'POST', token: admin });
    const rows = await eventually(
      () => deliveries(id),
      (all) => all.every(({ state }) => state !== 'waiting'),
    );
    assert.deepEqual(rows.map(({ operation, state }) => [operation, state]).sort(), [
      ['created', 'delivered'],
      ['ping', 'failed'],
    ]);
    assert.equal(receiver.received.length, 1);
    await stop(id);
  });

  it('are managed by people, and by tokens within their scopes, never by applications', async () => {
    const receiver = await startReceiver();
    const person = await signedIn(service);
    const own = await logIn(service, person.email, password);
    const { id } = await hook({ url: receiver.url, resources: ['cars'] }, own);
    const car = await make({}, own);
    await receiver.until(1);
    await request(service, `/v1/webhooks/${id}/pings`, { method: 'POST', token: own });
    await receiver.until(2);
    const kept = async (token: string) => (await deliveries(id, token)).map((each) => each.row_id);
    assert.equal((await kept(own)).length, 2);

    const scopes = ['webhooks:read', 'webhooks:write', 'webhook-deliveries:read', 'webhook-deliveries:write'];
    const narrow = { name: 'narrow', scopes };
    const made = await request<{ data: { access_token: string } }>(service, '/v1/tokens', {
      json: narrow,
      token: own,
    });
    const app = await addApplication(service, { scopes: [...scopes, 'cars:read'] });
    const code = await codeFor(person.visitor, app.id, { scope: [...scopes, 'cars:read'].join(' ') });
    const foreign = (await redeem(service, app, code)).body.access_token;
    const elsewhere = { url: 'https://evil.example/hook' };
    const change = async (token: string) =>
      (await request(service, `/v1/webhooks/${id}`, { method: 'PATCH', json: elsewhere, token })).status;
    assert.deepEqual([await change(made.body.data.access_token), await change(foreign)], [422, 403]);
    const json = { ...elsewhere, resources: ['cars'] };
    assert.equal((await request(service, '/v1/webhooks', { json, token: foreign })).status, 403);
    assert.equal((await kept(made.body.data.access_token)).includes(car), false);
    assert.equal((await kept(made.body.data.access_token)).length, 1, 'the delivery of the ping');
    assert.deepEqual(await kept(foreign), []);
    await stop(id);
  });

  it('are disabled by a 410 response and after three days of failures, and the owner is notified', async () => {
    const gone = await startReceiver(() => 410);
    const first = await hook({ url: gone.url, resources: ['cars'] });
    const failing = await startReceiver(() => 500);
    const second = await hook({ url: failing.url, resources: ['cars'] });
    await make();
    const state = async (id: string) =>
      (await request<Made>(service, `/v1/webhooks/${id}`, { token: admin })).body.data;
    const off = await eventually(
      () => state(first.id),
      ({ active }) => !active,
    );
    assert.match(off.disabled_reason as string, /410/);
    await failing.until(1);
    service.advance(4 * 86_400_000);
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    const given = await eventually(
      () => state(second.id),
      ({ active }) => !active,
    );
    assert.match(given.disabled_reason as string, /three days/);
    const [failed] = await deliveries(second.id);
    assert.deepEqual([failed?.state, failed?.response_status], ['failed', 500]);
  });

  it('are not delayed by a slow receiver of another webhook, and send deliveries again on request', async () => {
    const slow = await startReceiver(() => undefined);
    const quick = await startReceiver();
    const [held, other] = [
      await hook({ url: slow.url, resources: ['cars'] }),
      await hook({ url: quick.url, resources: ['cars'] }),
    ];
    for (let i = 0; i < 12; i++) await make();
    await quick.until(12);
    assert.ok(slow.received.length <= 8);
    const rows = await eventually(
      () => deliveries(other.id),
      (all) => all.every(({ state }) => state === 'delivered'),
    );
    const { status } = await request(service, `/v1/webhooks/${other.id}/redeliveries`, {
      json: { deliveries: [rows[0]?.id] },
      token: admin,
    });
    assert.equal(status, 202);
    const all = await quick.until(13);
    assert.equal(all[12]?.headers['webhook-id'], rows[0]?.id);
    for (const { id } of [held, other]) await stop(id);
  });

  it('send the deliveries of a period again', async () => {
    const receiver = await startReceiver();
    const { id } = await hook({ url: receiver.url, resources: ['cars'] });
    await make();
    await receiver.until(1);
    service.advance(60_000);
    const from = new Date(service.context.now()).toISOString();
    for (let i = 0; i < 3; i++) await make();
    await receiver.until(4);
    await eventually(
      () => deliveries(id),
      (all) => all.every(({ state }) => state === 'delivered'),
    );
    const again = await request<{ data: { deliveries: number } }>(service, `/v1/webhooks/${id}/redeliveries`, {
      json: { from },
      token: admin,
    });
    assert.deepEqual([again.status, again.body.data.deliveries], [202, 3]);
    const all = await receiver.until(7);
    const ids = (some: typeof all) => some.map(({ headers }) => headers['webhook-id']).sort();
    assert.deepEqual(ids(all.slice(4)), ids(all.slice(1, 4)));
    assert.equal((await request(service, `/v1/webhooks/${id}/redeliveries`, { json: {}, token: admin })).status, 422);
    await stop(id);
  });

  it('call no private address, unless the service itself is on loopback', async () => {
    const far = await start({ env: { RESOURCES_DIR: resources, BASE_URL: 'https://auth.example.com' } });
    const token = await logIn(far, 'admin@example.com', 'correct horse battery');
    const receiver = await startReceiver();
    for (const url of [receiver.url, 'http://10.0.0.1/hook', 'http://[::1]:1/hook', 'http://169.254.169.254/']) {
      const made = await request<Made>(far, '/v1/webhooks', { json: { url, resources: ['cars'] }, token });
      if (made.status === 422) continue;
      const { id } = made.body.data;
      await request(far, `/v1/webhooks/${id}/pings`, { method: 'POST', token });
      const [ping] = await eventually(
        async () => (await request<Deliveries>(far, `/v1/webhooks/${id}/deliveries`, { token })).body.data,
        ([first]) => first !== undefined && first.error !== null,
      );
      assert.equal(ping?.response_status, null, url);
    }
    assert.equal(receiver.received.length, 0);
  });

  it('send only the id of a row that leaves the search, and nothing while they are inactive', async () => {
    const receiver = await startReceiver();
    const { id } = await hook({ url: receiver.url, resources: ['cars'], search: 'seats:4' });
    const car = await make({ seats: 4 });
    await request(service, `/v1/cars/${car}`, { method: 'PATCH', json: { seats: 9 }, token: admin });
    const [, left] = await receiver.until(2);
    assert.equal(left?.body.type, 'cars.left');
    const { position, ...data } = left?.body.data ?? {};
    assert.equal(typeof position, 'string');
    assert.deepEqual(data, { resource: 'cars', id: car, operation: 'left' });
    await request(service, `/v1/webhooks/${id}`, { method: 'PATCH', json: { active: false }, token: admin });
    const { status } = await request(service, `/v1/webhooks/${id}/pings`, { method: 'POST', token: admin });
    assert.equal(status, 409);
    await stop(id);
  });

  it('treat an empty list of operations as all operations', async () => {
    const { id } = await hook({ url: 'https://example.com', resources: ['cars'], operations: [] });
    const { body } = await request<{ data: { operations: string[] } }>(service, `/v1/webhooks/${id}`, { token: admin });
    assert.deepEqual(body.data.operations, ['created', 'updated', 'deleted']);
    await stop(id);
  });

  it('refuse an invalid URL, resource or search', async () => {
    const status = async (json: object) => (await request(service, '/v1/webhooks', { json, token: admin })).status;
    assert.equal(await status({ url: 'ftp://example.com', resources: ['cars'] }), 422);
    assert.equal(await status({ url: 'https://example.com', resources: ['stones'] }), 422);
    assert.equal(await status({ url: 'https://example.com', resources: ['cars'], search: 'nonsense:1' }), 422);
    assert.equal(await status({ url: 'https://example.com', resources: ['cars'], operations: ['eaten'] }), 422);
  });
});
