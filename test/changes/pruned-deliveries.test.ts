import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pruneOldChanges } from '../../extensions/changes/prune-changes.ts';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { startReceiver } from './receiver.ts';

const resources = new URL('./resources', import.meta.url).pathname;

onBothEngines('Old deliveries of webhooks', (engine) => {
  const start = services(engine);

  it('are deleted after CHANGES_RETENTION, unless they are still waiting', async () => {
    const service = await start({ env: { RESOURCES_DIR: resources } });
    const token = await logIn(service, 'admin@example.com', 'correct horse battery');
    const hook = async (url: string) => {
      const json = { url, resources: ['cars'] };
      return (await request<{ data: { id: string } }>(service, '/v1/webhooks', { json, token })).body.data.id;
    };
    const statesOf = async (id: string) => {
      const path = `/v1/webhooks/${id}/deliveries`;
      const { body } = await request<{ data: { state: string }[] }>(service, path, { token });
      return body.data.map(({ state }) => state);
    };
    const [receiver, failing] = [await startReceiver(), await startReceiver(() => 500)];
    const [done, waiting] = [await hook(receiver.url), await hook(failing.url)];
    await request(service, '/v1/cars', { json: { plate: 'P-1' }, token });
    await failing.until(1);
    while ((await statesOf(done))[0] !== 'delivered') await new Promise((resolve) => setTimeout(resolve, 20));
    const { context } = service;
    const pruneAt = (now: number) => pruneOldChanges({ ...context, now: () => now });
    const retention = context.config.changesRetention * 1000;
    await pruneAt(context.now() + retention - 60_000);
    assert.deepEqual(await statesOf(done), ['delivered']);
    await pruneAt(context.now() + retention + 60_000);
    assert.deepEqual([await statesOf(done), await statesOf(waiting)], [[], ['waiting']]);
    await request(service, `/v1/webhooks/${waiting}`, { method: 'PATCH', json: { active: false }, token });
    await pruneAt(context.now() + retention - 60_000);
    assert.deepEqual(await statesOf(waiting), ['waiting']);
    await pruneAt(context.now() + retention + 60_000);
    assert.deepEqual(await statesOf(waiting), [], 'a disabled webhook retries nothing');
  });
});
