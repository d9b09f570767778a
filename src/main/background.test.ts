import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pino from 'pino';
import { runInBackground } from './background.ts';

const context = { log: pino({ level: 'silent' }) };

describe('Background work', () => {
  it('continues after a failure, never overlaps, and has ended when stop returns', async () => {
    let runs = 0;
    let running = 0;
    let most = 0;
    const enough = Promise.withResolvers<void>();
    const work = runInBackground(context, [
      {
        name: 'a job',
        everyMs: 1,
        async run() {
          most = Math.max(most, ++running);
          runs++;
          if (runs === 3) enough.resolve();
          for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
          running--;
          if (runs === 1) throw new Error('one run at a time');
        },
      },
    ]);
    // The timers of background work do not keep the process alive, so the test does.
    const awake = setInterval(() => undefined, 1000);
    await enough.promise;
    clearInterval(awake);
    await work.stop();
    assert.equal(running, 0);
    assert.equal(most, 1);
    assert.ok(runs >= 3);
  });
});
