import pino from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import { openKeyRing } from '../../src/database/keys/key-ring.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { Queue } from '../../src/resources/queue/queue.ts';

/** A process that queues two jobs, begins one of them, and is killed. Its clock does not advance, like the clock of the tests. */
const [, , url = '', dir = ''] = process.argv;
const config = parseConfig({}, { DATABASE_URL: url, DATA_DIR: dir }, dir);
const database = await openDatabase(config);
const now = () => Date.UTC(2030, 0, 1);
const context = { config, database, log: pino({ level: 'silent' }), metrics: createMetrics(), now };
const queue = new Queue(context, await openKeyRing(context));
queue.handle('begun', () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
});
await database.db.transaction().execute(async (tx) => {
  await queue.enqueue(tx, { name: 'begun', data: 1 });
  await queue.enqueue(tx, { name: 'untouched', data: 2 });
});
await queue.runDueJobs();
