import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EventSource } from 'eventsource';
import { createGatehouse } from 'gatehouse-server/client';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { startCutter } from './cutter.ts';

const resources = new URL('./resources', import.meta.url).pathname;

interface Car {
  id: string;
  plate: string;
  seats: number;
}

onBothEngines('Followers of changes', (engine) => {
  const start = services(engine);
  const begin = async () => {
    const service = await start({ env: { RESOURCES_DIR: resources } });
    const accessToken = await logIn(service, 'admin@example.com', 'correct horse battery');
    return { service, accessToken, cars: createGatehouse({ baseUrl: service.url, accessToken }).resource<Car>('cars') };
  };

  it('subscribe with the client, and keep a list up to date', async () => {
    const { cars } = await begin();
    const stop = new AbortController();
    const first = await cars.create({ plate: 'A 1' });
    const lists = cars.live({ search: { seats: 4 } }, { signal: stop.signal });
    const next = async () => ((await lists.next()).value as readonly Car[]).map(({ plate }) => plate);
    assert.deepEqual(await next(), ['A 1']);
    const second = await cars.create({ plate: 'B 2' });
    assert.deepEqual(await next(), ['A 1', 'B 2']);
    await cars.patch(first.data.id, { plate: 'A 2' });
    assert.deepEqual(await next(), ['A 2', 'B 2']);
    await cars.patch(first.data.id, { seats: 9 });
    assert.deepEqual(await next(), ['B 2']);
    const firstPage = cars.live({ limit: 1 }, { signal: stop.signal });
    const nextPage = async () => ((await firstPage.next()).value as readonly Car[]).map(({ plate }) => plate);
    assert.deepEqual(await nextPage(), ['A 2']);
    await cars.patch(second.data.id, { plate: 'B 3' });
    assert.deepEqual(await nextPage(), ['A 2'], 'a row of another page is not added');
    await cars.delete(first.data.id);
    assert.deepEqual(await nextPage(), ['B 3'], 'the next row moves up');
    stop.abort();
    await lists.return();
    await firstPage.return();
    const page = await cars.list();
    const changes = cars.subscribe({ after: page.position as string });
    const made = await cars.create({ plate: 'C 3' });
    const { value } = await changes.next();
    assert.deepEqual([value?.operation, value?.id, value?.after?.plate], ['created', made.data.id, 'C 3']);
    await changes.return();
  });

  it("resume with npm's eventsource after a broken connection", async () => {
    const { service, accessToken } = await begin();
    const proxy = await startCutter(service.url);
    const events = new EventSource(`${proxy.url}/v1/changes?resources=cars`, {
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init?.headers, authorization: `Bearer ${accessToken}` } }),
    });
    const seen: string[] = [];
    let heard = () => {};
    events.onmessage = ({ data }) => {
      seen.push((JSON.parse(data) as { after: Car }).after.plate);
      heard();
    };
    const until = async (count: number) => {
      while (seen.length < count) {
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    };
    await new Promise((resolve) => events.addEventListener('open', resolve, { once: true }));
    const make = (plate: string) => request(service, '/v1/cars', { json: { plate }, token: accessToken });
    await make('E 1');
    await until(1);
    proxy.cut();
    await make('E 2');
    await make('E 3');
    await until(3);
    assert.deepEqual(seen, ['E 1', 'E 2', 'E 3']);
    events.close();
  });
});
