import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ended } from '../harness/command.ts';
import { createTestDatabase } from '../harness/engines.ts';
import { MixedLoad } from '../harness/mixed-load.ts';
import { request } from '../harness/request.ts';
import { trials } from '../harness/trial.ts';

const seconds = Number(process.env.SOAK_SECONDS ?? 300);
const everySeconds = 5;
/** An idle connection is closed after 72 seconds. */
const closedWithin = 100;

const admin = { email: 'admin@example.com', password: 'correct horse battery' };
const RESOURCES_DIR = fileURLToPath(new URL('soaked', import.meta.url));

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** A figure of `/metrics`, or the sum if it has labels. */
async function figures(url: string) {
  const { text } = await request({ url }, '/metrics');
  return (name: string): number => {
    const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
}

const residentOf = async (url: string): Promise<number> =>
  (await figures(url))('process_resident_memory_bytes') / 1024 ** 2;

describe('Five minutes of mixed load', () => {
  const begin = trials();
  for (const engine of ['sqlite', 'postgres'] as const) {
    it(`fail no request, and leave memory, connections and queues as they were (${engine})`, async (t) => {
      const database = await createTestDatabase(engine);
      t.after(() => database.remove());
      const settings = { DATABASE_URL: database.url, RESOURCES_DIR };
      const { oracle, start } = await begin({
        ...settings,
        ADMIN_EMAIL: admin.email,
        ADMIN_PASSWORD: admin.password,
      });
      const { child, url } = await start({ TEST_REAL_PASSWORDS: '1', NODE_OPTIONS: '--max-old-space-size=256' });
      const filesBefore = (await figures(url))('process_open_fds');
      const load = await MixedLoad.begin(t, url, admin);
      oracle.begin(4);
      const resident: number[] = [];
      for (let i = 0; i < seconds / everySeconds; i++) {
        await later(everySeconds * 1000);
        resident.push(await residentOf(url));
      }
      await Promise.all([oracle.end(), load.end()]);

      const refused = [...oracle.responses.keys()].filter((status) => status < 200 || status >= 300);
      assert.deepEqual([refused, load.wrong], [[], []], 'every response is as expected');
      for (let i = 0; (await load.undelivered()) > 0; i++) {
        assert.ok(i < closedWithin, 'every change is delivered');
        await later(1000);
      }
      // Each row was created and changed.
      assert.ok(load.delivered >= 2 * oracle.rows.size, `${load.delivered} deliveries for ${oracle.rows.size} rows`);
      let left = await figures(url);
      for (let i = 0; i < closedWithin && left('process_open_fds') > filesBefore + 20; i++) {
        await later(1000);
        left = await figures(url);
      }
      const counts = ['gatehouse_change_streams', 'gatehouse_jobs', 'gatehouse_mail_queue', 'gatehouse_password_queue'];
      for (const name of counts) assert.equal(left(name), 0, name);
      const files = left('process_open_fds');
      assert.ok(files <= filesBefore + 20, `${filesBefore} open files, then ${files}`);

      const fifth = resident.length / 5;
      const [early, late] = [median(resident.slice(fifth, 2 * fifth)), median(resident.slice(-fifth))];
      const after = await residentOf(url);
      t.diagnostic(
        `${[early, late, after].map((mb) => mb.toFixed(0)).join(', ')} MB after one minute, at the end and after it; ${filesBefore} and ${files} open files; ${load.requests} requests, ${load.events} events, ${load.delivered} deliveries; ${await oracle.check()}`,
      );
      // Caches are bounded, and are full after about a minute. docs/reliability.md states the bound.
      for (const mb of [late, after])
        assert.ok(mb < early * 1.3 + 20, `${resident.map((each) => each.toFixed(0)).join(' ')}, then ${after}`);
      child.kill('SIGTERM');
      assert.deepEqual(await ended(child), [0, null], 'the service stops by itself');
    });
  }
});
