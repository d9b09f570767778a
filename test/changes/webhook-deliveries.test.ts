import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { startReceiver } from './receiver.ts';

const resources = new URL('./resources', import.meta.url).pathname;

interface Made {
  data: { id: string; active: boolean };
}
interface Delivery {
  state: string;
  attempts: number;
  response_status: number | null;
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
  });
});
