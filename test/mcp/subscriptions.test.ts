import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { logIn, seed } from '../../examples/fleet/seed.ts';
import { onBothEngines } from '../harness/engines.ts';
import { connectAssistant } from '../harness/mcp-client.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const resourcesDir = fileURLToPath(new URL('../../examples/fleet/resources', import.meta.url));

onBothEngines('An assistant that subscribes to rows', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  let cars: { id: string }[];
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resourcesDir, DYNAMIC_CLIENTS: 'open' } });
    admin = await logIn(service.url, 'admin@example.com', 'correct horse battery');
    await seed(service.url, admin);
    cars = (await request<{ data: { id: string }[] }>(service, '/v1/cars', { token: admin })).body.data;
  });

  it('is notified of changes, until its user is disabled', async () => {
    const visitor = new Visitor(service);
    await visitor.signIn('ada@fleet.example', 'fleet-example-user');
    const { client } = await connectAssistant(service, visitor);
    assert.equal(client.getServerCapabilities()?.resources?.subscribe, true);
    const notified: string[] = [];
    let heard = () => {};
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      notified.push(params.uri);
      heard();
    });
    const uri = (id: string | undefined) => `gatehouse:///cars/${id}`;
    const subscription = await client.listen({ resourceSubscriptions: [uri(cars[0]?.id), 'gatehouse:///nothing/1'] });
    const change = (id: string | undefined, seats: number) =>
      request(service, `/v1/cars/${id}`, { method: 'PATCH', json: { seats }, token: admin });
    const next = () =>
      new Promise<void>((resolve) => {
        heard = resolve;
      });
    const first = next();
    await change(cars[1]?.id, 7);
    await change(cars[0]?.id, 8);
    await first;
    assert.deepEqual(notified, [uri(cars[0]?.id)]);
    const second = next();
    await change(cars[0]?.id, 9);
    await second;
    const end = subscription.closed;
    const path = '/v1/users?search=email:ada@fleet.example';
    const [ada] = (await request<{ data: { id: string }[] }>(service, path, { token: admin })).body.data;
    const json = { disabled: true };
    assert.equal((await request(service, `/v1/users/${ada?.id}`, { method: 'PATCH', json, token: admin })).status, 200);
    await change(cars[0]?.id, 10);
    await end;
    assert.equal(notified.length, 2);
    await client.close();
  });

  it('may open at most 20 subscriptions', async () => {
    const visitor = new Visitor(service);
    await visitor.signIn('grace@fleet.example', 'fleet-example-user');
    const { client } = await connectAssistant(service, visitor);
    const listen = () => client.listen({ resourceSubscriptions: [`gatehouse:///cars/${cars[0]?.id}`] });
    const open = [];
    for (let n = 0; n < 20; n++) open.push(await listen());
    await assert.rejects(listen(), /429|At most 20/);
    for (const subscription of open) await subscription.close();
    await client.close();
  });

  it('is offered no subscriptions in the older protocol', async () => {
    const visitor = new Visitor(service);
    await visitor.signIn('grace@fleet.example', 'fleet-example-user');
    const { client } = await connectAssistant(service, visitor, { mode: 'legacy' });
    assert.equal(client.getServerCapabilities()?.resources?.subscribe, undefined);
    await client.close();
  });
});
