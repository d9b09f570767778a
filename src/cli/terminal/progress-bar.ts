import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type BeginProgress, noProgress, type Progress } from '../../platform/progress.ts';
import { clearLine, type DrawingData, drawing, ended, idle, states } from './drawing.ts';
import { percent, shareOf } from './progress-line.ts';
import { columnsOf, type Screen } from './table.ts';

interface Options {
  readonly screen?: Screen & { readonly fd?: number };
  /** Shorter work shows no bar. */
  readonly quietMs?: number;
}

const defaultQuietMs = 1000;

/**
 * Shows a bar on a terminal, otherwise a log line at each tenth. Writes to standard error, because standard output is
 * for the result of the command.
 */
export function progressBar(total: number, what: string, options: Options = {}): Progress {
  const { screen = process.stderr, quietMs = defaultQuietMs } = options;
  return screen.isTTY ? drawnBar(total, what, screen, quietMs) : logTenths(total, what, quietMs);
}

/** For work that writes its own log lines, or none. */
export const terminalProgressBar: BeginProgress = (total, what) =>
  process.stderr.isTTY ? progressBar(total, what) : noProgress(total, what);

/** A separate thread draws the bar, because SQLite blocks this thread while it works. */
function drawnBar(total: number, first: string, screen: NonNullable<Options['screen']>, quietMs: number): Progress {
  const { fd = 2 } = screen;
  const state = new Int32Array(new SharedArrayBuffer(8));
  const done = new Float64Array(new SharedArrayBuffer(8));
  const beside = import.meta.url;
  const script = new URL(`progress-thread.${beside.endsWith('.ts') ? 'ts' : 'js'}`, beside);
  const workerData: DrawingData = { fd, columns: columnsOf(screen), total, what: first, quietMs, state, done };
  const thread = new Worker(script, { workerData });
  thread.unref();
  // If the thread fails, there is no bar, and the work continues.
  thread.on('error', () => undefined);
  let now = first;
  return {
    advance(by, what = now) {
      done[0] = (done[0] ?? 0) + by;
      if (what !== now) thread.postMessage(what);
      now = what;
    },
    end() {
      while (Atomics.compareExchange(state, states.hand, idle, ended) === drawing) {
        Atomics.wait(state, states.hand, drawing, 100);
      }
      if (Atomics.exchange(state, states.drawn, 0) === 1) writeSync(fd, clearLine);
      void thread.terminate();
    },
  };
}

function logTenths(total: number, first: string, quietMs: number): Progress {
  const began = performance.now();
  let [done, now, tenths] = [0, first, 0];
  return {
    advance(by, what = now) {
      done += by;
      now = what;
      const share = shareOf(done, total);
      const reached = Math.floor(share * 10);
      if (reached === tenths || performance.now() - began < quietMs) return;
      tenths = reached;
      console.error(`${percent(share)} ${now} (${done.toLocaleString('en')} of ${total.toLocaleString('en')})`);
    },
    end: () => undefined,
  };
}
