import assert from 'node:assert/strict';
import { before, beforeEach, it } from 'node:test';
import { defineJob } from '../../extensions/jobs/define-job.ts';
import { onBothEngines } from '../../test/harness/engines.ts';
import { type ResourceService, resourceServices } from '../../test/harness/resource-service.ts';
import { conflict } from '../platform/errors.ts';
import { action, defineResource, integer, text } from './declare.ts';

const seen: string[] = [];
/** A promise for which hooks wait. It simulates another service. */
let gate: Promise<void>;
let open: () => void;
let reached: Promise<void>;
let arrive: () => void;
const wait = () => {
  arrive();
  return gate;
};

const boats = defineResource({
  name: 'boats',
  fields: { label: text({ required: true }), length: integer() },
  access: { read: 'auth:api', write: 'auth:api' },
  hooks: {
    async beforeWrite(_call, { operation, values, before: row }) {
      if (values.label !== 'slow') return;
      seen.push(`asked about ${operation} of ${row?.length ?? 'nothing'}`);
      await wait();
      values.length = (row?.length ?? 0) + 1;
    },
    async afterWrite(call, { operation, after }) {
      if (after?.label === 'told') {
        await call.later('tell', { id: after.id, operation });
        call.reveal({ told: true });
      }
      if (after?.label === 'undone') {
        await call.later('tell', 'never');
        throw conflict('Not this one.');
      }
      if (after?.label === 'misspelt') await call.later('tel');
      if (after?.label === 'slowly') {
        seen.push(after.id);
        await wait();
        call.reveal({ secret: 'of the harbour' });
      }
      if (after?.label === 'holds') {
        await call.tx.selectFrom('users').select('id').execute();
        await wait();
      }
    },
    async afterCommit({ context }, { operation, before: row, after }) {
      if (after?.label !== 'committed' && row?.label !== 'committed') return;
      const rows = await context.database.db
        .withTables<{ boats: { label: string } }>()
        .selectFrom('boats')
        .selectAll()
        .where('label', '=', 'committed')
        .execute();
      seen.push(`${operation}: ${rows.length}`);
      throw new Error('afterCommit fails');
    },
  },
  actions: [action({ name: 'launch', summary: 'Launch', run: ({ row, later }) => later('tell', row, { after: 60 }) })],
});

const handled: { key: string; data: unknown }[] = [];
const tell = defineJob({ name: 'tell', handle: ({ key, data }) => void handled.push({ key, data }) });

onBothEngines('Work after writes', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  const post = (label: string) => service.request('POST', '/v1/boats', { json: { label } });
  before(async () => {
    service = await start([boats], {}, [tell]);
  });
  beforeEach(() => {
    seen.length = 0;
    handled.length = 0;
    gate = new Promise((resolve) => {
      open = resolve;
    });
    reached = new Promise((resolve) => {
      arrive = resolve;
    });
  });

  it('runs afterCommit when the row is visible to all, and its failure fails no write', async () => {
    const { row, status } = await post('committed');
    assert.equal(status, 201);
    assert.equal((await service.request('PATCH', `/v1/boats/${row.id}`, { json: { length: 3 } })).status, 200);
    assert.equal((await service.request('DELETE', `/v1/boats/${row.id}`)).status, 204);
    assert.deepEqual(seen, ['create: 1', 'update: 1', 'delete: 0']);
  });

  it('queues jobs with the write, from hooks and actions, and none if the write is undone', async () => {
    const { row } = await post('told');
    assert.equal(row.told, true);
    const stored = await service.context.database.db.selectFrom('queued_jobs').selectAll().execute();
    assert.equal(stored.length, 1);
    assert.doesNotMatch(JSON.stringify(stored), new RegExp(row.id), 'the data is encrypted');
    assert.equal((await post('undone')).status, 409);
    assert.equal((await post('misspelt')).status, 500);
    await service.queue.runDueJobs();
    assert.deepEqual(handled, [{ key: stored[0]?.id, data: { id: row.id, operation: 'create' } }]);
    const { row: key } = await service.request('POST', `/v1/boats/${row.id}/launch`);
    await service.queue.runDueJobs();
    assert.equal(handled.length, 1, 'before its time');
    service.advance(61_000);
    await service.queue.runDueJobs();
    assert.equal(handled[1]?.key, key);
  });

  it('does not block other writes while a hook waits, and applies the result of the hook once', async () => {
    const slow = post('slow');
    await reached;
    assert.equal((await post('quick')).status, 201, 'other writes do not wait for the hook');
    open();
    const { status, row } = await slow;
    assert.deepEqual([status, row.length], [201, 1]);
    assert.deepEqual(seen, ['asked about create of nothing']);
  });

  it('keeps the id and the revealed values of a hook after the write', async () => {
    const slow = post('slowly');
    await reached;
    assert.equal((await post('quick')).status, 201);
    open();
    const { status, row } = await slow;
    assert.equal(status, 201);
    assert.equal(row.secret, 'of the harbour');
    assert.deepEqual(seen, [row.id]);
  });

  it('calls a hook again if the row has changed while the hook waited', async () => {
    if (engine === 'postgres') return;
    const { row } = await post('quick');
    const slow = service.request('PATCH', `/v1/boats/${row.id}`, { json: { label: 'slow' } });
    await reached;
    assert.equal((await service.request('PATCH', `/v1/boats/${row.id}`, { json: { length: 7 } })).status, 200);
    open();
    const response = await slow;
    assert.deepEqual([response.status, response.row.length], [200, 8]);
    assert.deepEqual(seen, ['asked about update of nothing', 'asked about update of 7']);
  });

  it('does not block other writers for a hook that uses the transaction and waits', async () => {
    const holding = post('holds');
    await reached;
    assert.equal((await post('quick')).status, 201);
    // PostgreSQL runs both writes at the same time. SQLite has one writer, so a hook must not keep it for long.
    if (engine === 'postgres') open();
    const { status } = await holding;
    assert.equal(status, engine === 'postgres' ? 201 : 503);
    open();
  });
});
