import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createTestDatabase } from '../harness/engines.ts';
import { trials } from '../harness/trial.ts';

const seconds = 300;
const everySeconds = 5;

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Megabytes in memory, as the kernel counts them. */
const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe('Five minutes of load', () => {
  const begin = trials();
  for (const engine of ['sqlite', 'postgres'] as const) {
    it(`leave memory as it was (${engine})`, async (t) => {
      const database = await createTestDatabase(engine);
      t.after(() => database.remove());
      const { oracle, start } = await begin({ DATABASE_URL: database.url });
      const { child } = await start({ NODE_OPTIONS: '--max-old-space-size=256' });
      oracle.begin(4);
      const resident: number[] = [];
      for (let i = 0; i < seconds / everySeconds; i++) {
        await later(everySeconds * 1000);
        resident.push(residentOf(child.pid as number));
      }
      await oracle.end();
      const fifth = resident.length / 5;
      const early = median(resident.slice(fifth, 2 * fifth));
      const late = median(resident.slice(-fifth));
      t.diagnostic(
        `${early.toFixed(0)} MB after one minute, ${late.toFixed(0)} MB at the end; ${await oracle.check()}`,
      );
      // What is remembered is bounded, and is full after the first minute or soon.
      assert.ok(late < early * 1.3 + 20, `${resident.map((mb) => mb.toFixed(0)).join(' ')}`);
    });
  }
});
