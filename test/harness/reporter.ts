import { relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { spec, type TestEvent } from 'node:test/reporters';

const slowestNamed = 12;

/** What node:test says by itself, and after it where the time went. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const seconds = new Map<string, number>();
  let total = 0;
  async function* watched(): AsyncGenerator<TestEvent> {
    for await (const event of events) {
      if (event.type === 'test:summary' && event.data.file === undefined) total = event.data.duration_ms / 1000;
      // A file is reported as a test of that name.
      if (event.type === 'test:complete' && event.data.file && resolve(event.data.name) === event.data.file)
        seconds.set(relative('.', event.data.file), event.data.details.duration_ms / 1000);
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
  const whole = `${seconds.size} files in ${total.toFixed(1)} s; one after another they would have taken ${sum.toFixed(1)} s`;
  return `\nWhere the time went (${whole}):\n${lines.join('\n')}\n`;
}
