import assert from 'node:assert/strict';
import { it } from 'node:test';
import { contexts } from '../../../test/harness/contexts.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { systemSource as source } from '../../http/request-source.ts';
import { pruneEvents } from './prune-events.ts';
import { recordEvent } from './record-event.ts';

const day = 86_400_000;

onBothEngines('The audit trail', (engine) => {
  const make = contexts(engine);

  it('is kept for the number of days in the setting', async () => {
    const context = await make({ env: { EVENT_RETENTION_DAYS: '30' } });
    const { db } = context.database;
    for (let i = 0; i < 250; i++) await recordEvent(context, db, { type: 'old', source });
    context.advance(10 * day);
    await recordEvent(context, db, { type: 'newer', source, data: { n: 1 } });
    context.advance(20 * day);
    assert.equal(await pruneEvents(context), 0);
    context.advance(1);
    assert.equal(await pruneEvents(context), 250);
    const left = await db.selectFrom('events').select(['type', 'data']).execute();
    assert.deepEqual(
      left.map(({ type, data }) => [type, data]),
      [['newer', '{"n":1}']],
    );
  });

  it('contains an event only if its transaction commits', async () => {
    const context = await make();
    const { db } = context.database;
    const undone = db.transaction().execute(async (tx) => {
      await recordEvent(context, tx, { type: 'undone', source });
      throw new Error('no');
    });
    await assert.rejects(undone);
    assert.deepEqual(await db.selectFrom('events').select('id').execute(), []);
  });
});
