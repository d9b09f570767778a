import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { codeFor, redeem, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Person, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { EventReader } from './event-reader.ts';

const resources = new URL('./resources', import.meta.url).pathname;

interface Row {
  data: { id: string };
}

onBothEngines('Streams of changes', (engine) => {
  const start = services(engine);
  const opened: EventReader[] = [];
  let service: Service;
  let admin: string;
  let ada: Person;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resources, STREAMS_PER_CALLER: '5' } });
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    ada = await registerUser(service);
  });
  after(() => {
    for (const reader of opened) reader.close();
  });

  const open = async (query: string, token: string | null = admin, headers = {}, on = service) => {
    const given: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const reader = await EventReader.open(`${on.url}/v1/changes?${query}`, { ...given, ...headers });
    opened.push(reader);
    return reader;
  };
  let plates = 0;
  const make = async (token = admin, on = service) =>
    (await request<Row>(on, '/v1/cars', { json: { plate: `S-${plates++}` }, token })).body.data.id;

  it('send new changes in order, and continue after Last-Event-ID', async () => {
    await make();
    const first = await open('resources=cars');
    assert.equal(first.response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(first.response.headers.get('x-accel-buffering'), 'no');
    const ids = [await make(), await make()];
    assert.deepEqual([(await first.change()).id, (await first.change()).id], ids);
    first.close();
    const missed = [await make(), await make()];
    const second = await open('resources=cars', admin, { 'last-event-id': first.lastId });
    const next = await make();
    const seen = [await second.change(), await second.change(), await second.change()];
    assert.deepEqual(
      seen.map(({ id }) => id),
      [...missed, next],
    );
    assert.equal(second.lastId, seen[2]?.position);
    second.close();
  });

  it('are not opened if the caller prefers JSON', async () => {
    for (const accept of ['application/json, text/event-stream;q=0.1', 'application/json, text/event-stream']) {
      const headers = { accept, authorization: `Bearer ${admin}` };
      const response = await fetch(`${service.url}/v1/changes?resources=cars`, { headers });
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8', accept);
    }
  });

  it('respond to HEAD immediately', async () => {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${admin}` };
    const { status } = await fetch(`${service.url}/v1/changes?resources=cars`, { method: 'HEAD', headers });
    assert.equal(status, 200);
  });

  it('neither miss nor repeat a change between a list and the stream after it', async () => {
    const list = await request<{ data: { id: string }[]; meta: { changes_position: string } }>(
      service,
      '/v1/cars?limit=100',
      { token: admin },
    );
    const between = await make();
    const stream = await open(`resources=cars&after=${list.body.meta.changes_position}`);
    const later = await make();
    assert.deepEqual([(await stream.change()).id, (await stream.change()).id], [between, later]);
    stream.close();
  });

  it('send each subscriber only visible changes', async () => {
    const mine = await open('resources=cars', ada.token);
    const narrow = await open(`resources=cars&search=${encodeURIComponent('seats:9')}`);
    const id = await make();
    const own = await make(ada.token);
    await request(service, `/v1/cars/${id}`, { method: 'PATCH', json: { seats: 9 }, token: admin });
    assert.equal((await mine.change()).id, own);
    const { id: found, operation, before: was } = await narrow.change();
    assert.deepEqual([found, operation, was], [id, 'updated', null]);
    mine.close();
    narrow.close();
  });

  it('begin at an earlier position too if the caller may read no recorded resource', async () => {
    const before = await open('resources=cars');
    await make();
    await before.change();
    const json = { email: ada.email, password: 'a fine long secret', scope: 'users:read' };
    const { body } = await request<{ access_token: string }>(service, '/v1/clients/web/admin/login', { json });
    await make();
    const stream = await open('', body.access_token, { 'last-event-id': before.lastId });
    assert.equal(stream.response.status, 200);
    await make();
    await request(service, '/v1/logout', { method: 'DELETE', token: body.access_token });
    await make();
    assert.equal((await stream.next())?.data, '{"code":"access_changed"}');
    before.close();
  });

  it('close before a logout is acknowledged, on every instance', async () => {
    // On SQLite, a service without workers treats every write of another process as a change of everything.
    const other =
      engine === 'sqlite' ? service : await start({ env: { RESOURCES_DIR: resources }, database: service.database });
    const token = await logIn(service, ada.email, 'a fine long secret');
    const streams = [await open('resources=cars', token), await open('resources=cars', token, {}, other)];
    const { status } = await request(service, '/v1/logout', { method: 'DELETE', token });
    assert.equal(status, 200);
    await make(admin);
    for (const stream of streams) {
      const end = await stream.next();
      assert.deepEqual([end?.event, end?.data], ['end', '{"code":"access_changed"}']);
      assert.equal(await stream.next(), undefined);
    }
    const again = await open('resources=cars', token);
    assert.equal(again.response.status, 401);
  });

  it('close when a role, a scope, a consent or the user ends, and when the token expires', async () => {
    const { id, email, visitor } = await signedIn(service);
    const endedBy = async (token: string, path: string, options: { method: string; json?: object }) => {
      const stream = await open('resources=cars', token);
      assert.equal(stream.response.status, 200);
      const { status } = await request(service, path, { ...options, token: admin });
      assert.ok(status === 200 || status === 204, `${path}: ${status}`);
      await make();
      assert.equal((await stream.next())?.data, '{"code":"access_changed"}', path);
    };
    const user = `/v1/users/${id}`;
    const token = await logIn(service, email, password);
    await endedBy(token, user, { method: 'PATCH', json: { roles: ['admin'] } });
    await endedBy(token, user, { method: 'PATCH', json: { roles: [] } });
    const app = await addApplication(service, { scopes: ['cars:read', 'notes:read'] });
    const granted = await redeem(service, app, await codeFor(visitor, app.id, { scope: 'cars:read' }));
    const { access_token: ofApp } = granted.body;
    await endedBy(ofApp, `/v1/clients/${app.id}`, { method: 'PATCH', json: { scopes: ['cars:read'] } });
    const consents = await request<{ data: { id: string }[] }>(service, `/v1/consents?search=user_id:${id}`, {
      token: admin,
    });
    await endedBy(ofApp, `/v1/consents/${consents.body.data[0]?.id}`, { method: 'DELETE' });
    await endedBy(token, user, { method: 'PATCH', json: { disabled: true } });
    const expiring = await open('resources=cars', ada.token);
    service.advance(3_700_000);
    assert.equal((await expiring.next())?.data, '{"code":"token_expired"}');
    service.advance(-3_700_000);
  });

  it('close a stream that a rule refuses later, without delaying others', async () => {
    const [proved, other] = [await open('resources=vaults', ada.token), await open('resources=cars', ada.token)];
    await request(service, '/v1/vaults', { json: { name: 'one' }, token: admin });
    assert.equal((await proved.change()).after?.name, 'one');
    service.advance(301_000);
    await request(service, '/v1/vaults', { json: { name: 'two' }, token: admin });
    const id = await make(ada.token);
    assert.equal((await other.change()).id, id);
    assert.equal((await proved.next())?.data, '{"code":"access_changed"}');
    assert.equal((await open('resources=vaults', ada.token)).response.status, 401);
    service.advance(-301_000);
    other.close();
  });

  it('evaluate rules about related rows for each subscriber', async () => {
    const bob = await registerUser(service);
    const post = async (path: string, json: object, token: string) =>
      (await request<Row>(service, path, { json, token })).body.data.id;
    const label = await post('/v1/labels', {}, admin);
    const album = await post('/v1/albums', { name: 'one' }, admin);
    const json = { album_id: album, label_id: label, user_id: ada.id };
    await request(service, '/v1/labellings', { json, token: admin });
    const streams = [await open('resources=albums', ada.token), await open('resources=albums,notes', bob.token)];
    await request(service, `/v1/albums/${album}`, { method: 'PATCH', json: { name: 'two' }, token: admin });
    assert.equal((await streams[0]?.change())?.after?.name, 'two');
    await post('/v1/notes', { title: 'next' }, admin);
    assert.equal((await streams[1]?.change())?.resource, 'notes');
    for (const stream of streams) stream.close();
  });

  it('accept a ticket instead of a token, once', async () => {
    const { body } = await request<{ data: { ticket: string } }>(service, '/v1/change-tickets', {
      method: 'POST',
      token: admin,
    });
    const stream = await open(`resources=cars&ticket=${body.data.ticket}`, null);
    const id = await make();
    assert.equal((await stream.change()).id, id);
    stream.close();
    const refusal = async (ticket: string) => {
      type Refusal = { code: string; detail: string };
      const answer = await request<Refusal>(service, `/v1/changes?resources=cars&ticket=${ticket}`, { token: null });
      return `${answer.status} ${answer.body.code} ${answer.body.detail}`;
    };
    assert.match(
      await refusal(body.data.ticket),
      /^401 token_malformed The ticket was used, has expired or is unknown/,
    );
    const unused = await request<{ data: { ticket: string } }>(service, '/v1/change-tickets', {
      method: 'POST',
      token: (await registerUser(service)).token,
    });
    const token = await logIn(service, ada.email, 'a fine long secret');
    const held = await request<{ data: { ticket: string } }>(service, '/v1/change-tickets', { method: 'POST', token });
    await request(service, '/v1/logout', { method: 'DELETE', token });
    assert.equal((await open(`resources=cars&ticket=${held.body.data.ticket}`, null)).response.status, 401);
    service.advance(61_000);
    assert.match(await refusal(unused.body.data.ticket), /^401 token_expired The ticket was used, has expired/);
    service.advance(-61_000);
  });

  it('limit the streams of one caller, and refuse a position of another history', async () => {
    const person = await registerUser(service);
    const streams: EventReader[] = [];
    for (let i = 0; i < 5; i++) streams.push(await open('resources=cars', person.token));
    assert.equal((await open('resources=cars', person.token)).response.status, 429);
    for (const stream of streams) stream.close();
    const otherHistory = await open('resources=cars', admin, { 'last-event-id': '0123456789-0000000000000001' });
    assert.equal(otherHistory.response.status, 410);
  });
});
