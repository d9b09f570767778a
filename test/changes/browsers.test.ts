import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browsers } from '../harness/browser.ts';
import { registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';
import { startCutter } from './cutter.ts';
import { EventReader } from './event-reader.ts';

const resources = new URL('./resources', import.meta.url).pathname;
const [email, password] = ['admin@example.com', 'correct horse battery'] as const;

describe('Streams of changes in browsers', () => {
  const start = services('sqlite');
  const browser = browsers();

  it('open with the session cookie for the service’s own pages, and close when the session ends', async () => {
    const service = await start({ env: { RESOURCES_DIR: resources } });
    const person = await registerUser(service);
    const visitor = new Visitor(service);
    await visitor.signIn(person.email, 'a fine long secret');
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const open = (headers: Record<string, string>) =>
      EventReader.open(`${service.url}/v1/changes?resources=cars`, { cookie, ...headers });
    assert.equal((await open({ 'sec-fetch-site': 'cross-site' })).response.status, 401);
    assert.equal((await open({ 'sec-fetch-site': 'same-site' })).response.status, 401);
    assert.equal((await open({ origin: 'https://elsewhere.example' })).response.status, 401);
    const stream = await open({ 'sec-fetch-site': 'same-origin' });
    assert.equal(stream.response.status, 200);
    const made = await request<{ data: { id: string } }>(service, '/v1/cars', {
      json: { plate: 'C 1' },
      token: person.token,
    });
    assert.equal((await stream.change()).id, made.body.data.id);
    await visitor.get('/settings');
    await visitor.send('/logout', {});
    assert.equal((await stream.next())?.data, '{"code":"access_changed"}');
    assert.equal((await open({ 'sec-fetch-site': 'same-origin' })).response.status, 401);
  });

  it('resume with Chromium’s EventSource after a broken connection', async () => {
    const service = await start({ env: { RESOURCES_DIR: resources } });
    const token = await logIn(service, email, password);
    const make = (plate: string) => request(service, '/v1/cars', { json: { plate }, token });
    const way = await startCutter(service.url);
    const page = await (await browser()).newPage();
    await page.goto(`${way.url}/login`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(/settings/);
    await page.evaluate(`new Promise((open) => {
      globalThis.seen = [];
      const events = new EventSource('/v1/changes?resources=cars');
      events.onmessage = ({ data }) => seen.push(JSON.parse(data).after.plate);
      events.onopen = open;
    })`);
    const seen = (count: number) =>
      page.evaluate(`new Promise((resolve) => {
        const look = () => (seen.length >= ${count} ? resolve() : setTimeout(look, 20));
        look();
      })`);
    await make('E 1');
    await seen(1);
    way.cut();
    await make('E 2');
    await make('E 3');
    await seen(3);
    await make('E 4');
    await seen(4);
    assert.deepEqual(await page.evaluate('seen'), ['E 1', 'E 2', 'E 3', 'E 4']);
  });

  it('disconnect a client that does not read, and continue from its position', async () => {
    const service = await start({ env: { RESOURCES_DIR: resources } });
    const token = await logIn(service, email, password);
    const lazy = await EventReader.open(`${service.url}/v1/changes?resources=cars`, {
      authorization: `Bearer ${token}`,
    });
    const first = await request<{ data: { id: string } }>(service, '/v1/cars', { json: { plate: 'L 0' }, token });
    assert.equal((await lazy.change()).id, first.body.data.id);
    const open = async () =>
      Number(
        /^gatehouse_change_streams (\d+)$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1] ??
          Number.NaN,
      );
    assert.equal(await open(), 1);
    // More than the buffers of both ends hold.
    let made = 0;
    while ((await open()) > 0) {
      const tags = Array.from({ length: 40 }, (_, i) => `${i} ${'x'.repeat(240)}`);
      const rows = Array.from({ length: 10 }, () => ({ plate: `L ${++made}`, tags }));
      const { status } = await request(service, '/v1/cars/batches', { json: { rows }, token });
      assert.equal(status, 200);
      assert.ok(made < 20_000, 'the client is disconnected');
    }
    const again = await EventReader.open(`${service.url}/v1/changes?resources=cars`, {
      authorization: `Bearer ${token}`,
      'last-event-id': lazy.lastId,
    });
    for (let i = 1; i <= made; i++) assert.equal((await again.change()).after?.plate, `L ${i}`);
    again.close();
    lazy.close();
  });
});
