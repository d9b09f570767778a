import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { sql } from 'kysely';
import { ChangeLog } from '../../extensions/changes/log/change-log.ts';
import { readVisible } from '../../extensions/changes/stream/read-visible.ts';
import { Stream } from '../../extensions/changes/stream/stream.ts';
import { Streams } from '../../extensions/changes/stream/streams.ts';
import { readSubscription } from '../../extensions/changes/view/subscription.ts';
import { anonymousCaller } from '../../src/platform/caller.ts';
import { compileResources } from '../../src/resources/model/resource.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Person, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import type { Change } from './event-reader.ts';
import { readSettled } from './read-settled.ts';
import owners from './resources/owners.ts';

const resources = new URL('./resources', import.meta.url).pathname;
const hidden = 11_000;

interface Page {
  data: Change[];
  meta: { changes_position: string; more: boolean };
}

onBothEngines('Changes that the caller may not see', (engine) => {
  const start = services(engine);
  let service: Service;
  let ada: Person;
  let own: string;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resources } });
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    ada = await registerUser(service);
    await request(service, '/v1/owners', { json: { name: 'hidden' }, token: admin });
    await sql`with recursive copies(i) as (select 1 union all select i + 1 from copies where i < ${hidden})
      insert into change_log (resource, row_id, operation, version, before, after, actor, transaction_id, at)
      select resource, row_id, operation, version, before, after, actor, transaction_id, at from change_log, copies
      where resource = 'owners'`.execute(service.context.database.db);
    const made = await request<{ data: { id: string } }>(service, '/v1/owners', {
      json: { name: 'own' },
      token: ada.token,
    });
    own = made.body.data.id;
  });

  const read = async (limit: number, after = '') =>
    (await readSettled<Page>(service, `/v1/changes?resources=owners&limit=${limit}&after=${after}`, ada.token)).body;

  /** A log that counts its reads, and those that began in the same turn of the event loop as the one before. */
  const counting = (log: ChangeLog) => {
    const figures = { reads: 0, inTheSameTurn: 0 };
    let hasTurned = true;
    const page = log.page.bind(log);
    log.page = async (...query) => {
      figures.reads++;
      if (!hasTurned) figures.inTheSameTurn++;
      const found = await page(...query);
      hasTurned = false;
      setImmediate(() => {
        hasTurned = true;
      });
      return found;
    };
    return figures;
  };
  const subscribed = () => {
    const all = compileResources([owners]);
    const caller = { ...anonymousCaller, kind: 'user', userId: ada.id, scopes: ['*'] } as const;
    const { context } = service;
    const log = new ChangeLog(context);
    return { context, log, all, subscription: readSubscription(context, all, caller, { resources: 'owners' }) };
  };

  it('end a response early, with the position after them', async () => {
    for (const limit of [1, 100, 1000]) {
      const first = await read(limit);
      assert.deepEqual([first.data, first.meta.more], [[], true]);
      const next = await read(limit, first.meta.changes_position);
      assert.deepEqual(
        next.data.map(({ id }) => id),
        [own],
      );
      assert.equal(next.meta.more, false);
    }
  });

  it('let other requests run, and are not read for a caller who has disconnected', async () => {
    const { context, log, all, subscription } = subscribed();
    await readSettled(service, '/v1/changes?resources=owners&limit=1', ada.token);
    const settled = await log.settle();
    const figures = counting(log);
    const options = { from: await log.beginning(), settled, limit: 1, isConnected: () => true };
    const { found, to } = await readVisible({ context, log, resources: all }, subscription, options);
    assert.deepEqual([found, figures], [[], { reads: 20, inTheSameTurn: 0 }]);
    assert.ok(to.number > 9000 && to.number < settled);
    const gone = readVisible({ context, log, resources: all }, subscription, { ...options, isConnected: () => false });
    await assert.rejects(gone, { status: 499 });
    assert.equal(figures.reads, 20);
  });

  it('let other requests run while a stream reads them', async () => {
    const { context, log, all, subscription } = subscribed();
    await log.settle();
    const figures = counting(log);
    const streams = new Streams(context, log, all);
    let ended = false;
    // Only the members that a stream without visible changes uses.
    const response = { writableLength: 0, write: () => true, end: () => (ended = true) } as never;
    const position = await log.beginning();
    // No change is of this resource, so each read finds nothing.
    const nothing = {
      ...subscription,
      resources: new Map([['nothing', { resource: owners as never, search: '' as never }]]),
    };
    const stream = new Stream(response, await log.history(), { subscription: nothing, account: ada.id, position });
    streams.add(stream);
    await streams.catchUp(stream);
    streams.remove(stream);
    await streams.stop();
    assert.deepEqual([figures.reads > 1, figures.inTheSameTurn, ended], [true, 0, false]);
  });
});
