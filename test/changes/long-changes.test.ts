import assert from 'node:assert/strict';
import { it } from 'node:test';
import { allChanges, readChanges } from '../../extensions/changes/log/change-store.ts';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import type { Change } from './event-reader.ts';
import { readSettled } from './read-settled.ts';

const resources = new URL('./resources', import.meta.url).pathname;

interface Page {
  data: Change[];
  meta: { changes_position: string; more: boolean };
}

onBothEngines('Long changes', (engine) => {
  const start = services(engine);

  it('end a page before its limit', async () => {
    const service = await start({ env: { RESOURCES_DIR: resources } });
    const token = await logIn(service, 'admin@example.com', 'correct horse battery');
    const tags = Array.from({ length: 100 }, (_, i) => `${i} `.padEnd(255, 'x'));
    const created = Array.from({ length: 30 }, (_, i) => ({ plate: `P-${i}`, tags }));
    const ids: string[] = [];
    for (const json of created) {
      ids.push((await request<{ data: { id: string } }>(service, '/v1/cars', { json, token })).body.data.id);
    }
    const read = async (after: string) =>
      (await readSettled<Page>(service, `/v1/changes?resources=cars&limit=1000&after=${after}`, token)).body;
    const { changes_position: after } = (await read('')).meta;
    for (let seats = 1; seats <= 4; seats++) {
      const json = { rows: ids.map((id) => ({ id, seats })) };
      assert.equal((await request(service, '/v1/cars/batches', { method: 'PATCH', json, token })).status, 200);
    }
    const page = await read(after);
    assert.ok(page.data.length < 120 && page.meta.more);
    const next = await read(page.meta.changes_position);
    assert.deepEqual([page.data.length + next.data.length, next.meta.more], [120, false]);
    // Streams and webhooks keep such a page in memory.
    const { db } = service.context.database;
    const positions = (await allChanges(db, 'cars')).slice(-120).map(({ position }) => position);
    const to = positions.at(-1) as number;
    const found: number[] = [];
    for (let from = (positions[0] as number) - 1; from < to; ) {
      const { rows, to: end } = await readChanges(db, { after: from, to, resources: ['cars'], limit: 500 });
      assert.ok(rows.length < 30, 'each of these changes has 50 KB');
      found.push(...rows.map(({ position }) => position));
      from = end;
    }
    assert.deepEqual(found, positions);
  });
});
