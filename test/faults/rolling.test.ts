import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ended, type ServerProcess } from '../harness/command.ts';
import { createTestDatabase } from '../harness/engines.ts';
import { trials } from '../harness/trial.ts';

const isReady = async ({ url }: ServerProcess) =>
  (await fetch(`${url}/health/ready`).catch(() => undefined))?.status === 200;

describe('Two instances that are replaced one after the other, under load', () => {
  const begin = trials();

  it('answer every request, six times, behind a load balancer that checks /health/ready', async (t) => {
    const database = await createTestDatabase('postgres');
    t.after(() => database.remove());
    const env = { DATABASE_URL: database.url, BASE_URL: 'http://auth.example', DRAIN_SECONDS: '3' };
    const { oracle, start, leave } = await begin(env);
    const serving = [await start({ DRAIN_SECONDS: '3' }), await start({ DRAIN_SECONDS: '3', DATA_DIR: 'other' })];
    oracle.begin(6);
    for (let round = 0; round < 6; round++) {
      await oracle.succeeds(100);
      const next = await start({ DRAIN_SECONDS: '3', DATA_DIR: `next-${round}` });
      while (!(await isReady(next))) await new Promise((resolve) => setTimeout(resolve, 20));
      const old = serving.shift() as ServerProcess;
      serving.push(next);
      old.child.kill('SIGTERM');
      // Until a load balancer would notice it.
      while (await isReady(old)) await new Promise((resolve) => setTimeout(resolve, 20));
      leave(old);
      assert.deepEqual(await ended(old.child), [0, null]);
    }
    await oracle.succeeds(100);
    await oracle.end();
    const unanswered = oracle.responses.get(0) ?? 0;
    const refused = [...oracle.responses].filter(([status]) => status >= 500);
    t.diagnostic(await oracle.check());
    assert.deepEqual([unanswered, refused], [0, []]);
  });
});
