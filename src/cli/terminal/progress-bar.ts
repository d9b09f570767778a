import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type BeginProgress, noProgress, type Progress } from '../../platform/progress.ts';
import { clearLine, type DrawingData, drawing, ended, idle, percent, shareOf, states } from './progress-line.ts';
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
export function progressBar(total: number, step: string, options: Options = {}): Progress {
  const { screen = process.stderr, quietMs = defaultQuietMs } = options;
  return screen.isTTY ? drawnBar(total, step, screen, quietMs) : logTenths(total, step, quietMs);
}

/** For work that writes its own log lines, or none. */
export const terminalProgressBar: BeginProgress = (total, step) =>
  process.stderr.isTTY ? progressBar(total, step) : noProgress(total, step);

/** A separate thread draws the bar, because SQLite blocks this thread while it works. */
function drawnBar(total: number, what: string, screen: NonNullable<Options['screen']>, quietMs: number): Progress {
  const { fd = 2 } = screen;
  const state = new Int32Array(new SharedArrayBuffer(8));
  const done = new Float64Array(new SharedArrayBuffer(8));
  const moduleUrl = import.meta.url;
  const script = new URL(`progress-thread.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
  const workerData: DrawingData = { fd, columns: columnsOf(screen), total, what, quietMs, state, done };
  const thread = new Worker(script, { workerData });
  thread.unref();
  // If the thread fails, there is no bar, and the work continues.
  thread.on('error', () => undefined);
  let currentStep = what;
  return {
    advance(amount, step = currentStep) {
      done[0] = (done[0] ?? 0) + amount;
      if (step !== currentStep) thread.postMessage(step);
      currentStep = step;
    },
    end() {
      while (Atomics.compareExchange(state, states.activity, idle, ended) === drawing) {
        Atomics.wait(state, states.activity, drawing, 100);
      }
      if (Atomics.exchange(state, states.drawn, 0) === 1) writeSync(fd, clearLine);
      void thread.terminate();
    },
  };
}

function logTenths(total: number, firstStep: string, quietMs: number): Progress {
  const startedAt = performance.now();
  let [completed, currentStep, tenths] = [0, firstStep, 0];
  return {
    advance(amount, step = currentStep) {
      completed += amount;
      currentStep = step;
      const share = shareOf(completed, total);
      const reached = Math.floor(share * 10);
      if (reached === tenths || performance.now() - startedAt < quietMs) return;
      tenths = reached;
      console.error(
        `${percent(share)} ${currentStep} (${completed.toLocaleString('en')} of ${total.toLocaleString('en')})`,
      );
    },
    end: () => undefined,
  };
}
