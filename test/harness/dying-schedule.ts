import pino from 'pino';
import { Scheduler } from '../../extensions/jobs/scheduler.ts';
import { parseConfig } from '../../src/config/config.ts';
import { openKeyRing } from '../../src/database/keys/key-ring.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { Queue } from '../../src/resources/queue/queue.ts';

/** An instance that takes the due run of the job `nightly`, begins it, writes a bill, and is killed before the commit. */
const [, , settings = '', at = ''] = process.argv;
const env = JSON.parse(settings) as Record<string, string>;
const config = parseConfig({}, env, env.DATA_DIR ?? '');
const database = await openDatabase(config);
const now = () => Number(at);
const context = { config, database, log: pino({ level: 'silent' }), metrics: createMetrics(), now };
const queue = new Queue(context, await openKeyRing(context));
const schedule = { name: 'nightly', schedule: '0 3 * * *', timeZone: 'Europe/Berlin' };
const scheduler = new Scheduler(context, queue, [{ ...schedule, run: () => undefined }]);
queue.handle('nightly', (job) =>
  scheduler.runAttempt(job, 2, () =>
    database.db.transaction().execute(async (tx) => {
      const bill = { id: job.key, title: 'night', title_folded: 'night', amount: 0, number: 'of the dead' };
      await tx.withTables<{ bills: typeof bill }>().insertInto('bills').values(bill).execute();
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => undefined);
    }),
  ),
);
await scheduler.tick();
await queue.runDueJobs();
