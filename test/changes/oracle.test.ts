import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { startCutter } from './cutter.ts';
import { type Change, EventReader, type StreamEvent } from './event-reader.ts';

const resources = new URL('./resources', import.meta.url).pathname;
const writers = 6;
const writes = 40;

const pause = (most: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * most));

onBothEngines('A subscriber compared with the writes', (engine) => {
  const start = services(engine);

  it('gets every change once, in the order of each row, despite dropped connections', async () => {
    const env = { RESOURCES_DIR: resources };
    const first = await start({ env });
    // Two processes on one SQLite file would be workers. This test has one.
    const second = engine === 'sqlite' ? first : await start({ env, database: first.database });
    const token = await logIn(first, 'admin@example.com', 'correct horse battery');
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      const { body } = await request<{ data: { id: string } }>(first, '/v1/cars', {
        json: { plate: `O-${i}`, seats: 0 },
        token,
      });
      ids.push(body.data.id);
    }
    const list = await request<{ meta: { changes_position: string } }>(first, '/v1/cars', { token });
    const cutters = [await startCutter(first.url), await startCutter(second.url)];

    let committed = 0;
    const write = async ({ context: { database } }: Service) => {
      for (let i = 0; i < writes; i++) {
        const undo = Math.random() < 0.2;
        await database.db
          .transaction()
          .execute(async (tx) => {
            // Takes a transaction id before the first change, so that ids and positions have different orders.
            if (engine === 'postgres') await sql`select pg_current_xact_id()`.execute(tx);
            await pause(3);
            const id = ids[Math.floor(Math.random() * ids.length)];
            await sql`update cars set seats = seats + 1 where id = ${id}`.execute(tx);
            await pause(3);
            if (undo) throw new Error('undone');
          })
          .then(
            () => committed++,
            () => undefined,
          );
      }
    };
    const written = Promise.all(Array.from({ length: writers }, (_, i) => write(i % 2 ? first : second)));
    let over = false;
    void written.then(() => {
      over = true;
    });

    const seen: Change[] = [];
    let last = list.body.meta.changes_position;
    for (let connection = 0; !over || seen.length < committed; connection++) {
      const { url, cut } = cutters[connection % 2] as (typeof cutters)[0];
      const headers = { authorization: `Bearer ${token}`, 'last-event-id': last };
      const reader = await EventReader.open(`${url}/v1/changes?resources=cars`, headers).catch(() => undefined);
      if (!reader) continue;
      const enough = 1 + Math.floor(Math.random() * 30);
      for (let i = 0; i < enough && (!over || seen.length < committed); i++) {
        const event: StreamEvent | undefined = await reader.next();
        if (!event) break;
        assert.equal(event.event, 'message', event.data);
        seen.push(JSON.parse(event.data) as Change);
        last = event.id as string;
      }
      cut();
      reader.close();
    }
    assert.equal(seen.length, committed);
    assert.equal(new Set(seen.map(({ position }) => position)).size, committed);
    for (const id of ids) {
      const steps = seen.filter((change) => change.id === id).map(({ after: row }) => row?.seats);
      assert.deepEqual(
        steps,
        steps.map((_, i) => i + 1),
      );
    }
  });
});
