import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { spec, type TestEvent } from 'node:test/reporters';

const slowestNamed = 12;

/** The report of node:test, followed by the slowest files. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const seconds = new Map<string, number>();
  let total = 0;
  async function* watched(): AsyncGenerator<TestEvent> {
    for await (const event of events) {
      if (event.type === 'test:summary' && event.data.file === undefined) total = event.data.duration_ms / 1000;
      const isTest = event.type === 'test:complete' && event.data.details.type !== 'suite';
      if (isTest && event.data.file && event.data.file !== event.data.name) {
        const file = relative('.', event.data.file);
        seconds.set(file, (seconds.get(file) ?? 0) + event.data.details.duration_ms / 1000);
      }
      yield event;
    }
  }
  yield* Readable.from(watched()).compose(new spec());
  yield whereTheTimeWent(seconds, total);
}

function whereTheTimeWent(seconds: ReadonlyMap<string, number>, total: number): string {
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, slowestNamed);
  const sum = [...seconds.values()].reduce((a, b) => a + b, 0);
  const lines = slowest.map(([file, taken]) => `${taken.toFixed(1).padStart(8)} s  ${file}`);
  const whole = `${total.toFixed(1)} s; the tests of ${seconds.size} files add up to ${sum.toFixed(1)} s, without starts and ends of suites`;
  return `\nWhere the time went (${whole}):\n${lines.join('\n')}\n`;
}
