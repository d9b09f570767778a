import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { clearLine, type DrawingData, drawing, ended, idle, progressLine, states } from './progress-line.ts';

const redrawMs = 100;
const { fd, columns, total, quietMs, state, done, what: first } = workerData as DrawingData;
const startedAt = performance.now();
let step = first;
let lastProgress = { completed: 0, movedAt: 0 };
parentPort?.on('message', (next: string) => {
  step = next;
});

const timer = setInterval(draw, redrawMs);
draw();

/** Ending the bar waits for a running drawing, and prevents the next one. */
function draw(): void {
  const ms = performance.now() - startedAt;
  const completed = done[0] ?? 0;
  if (completed !== lastProgress.completed) lastProgress = { completed, movedAt: ms };
  if (ms < quietMs) return;
  if (Atomics.compareExchange(state, states.activity, idle, drawing) === ended) {
    clearInterval(timer);
    parentPort?.close();
    return;
  }
  try {
    writeSync(fd, clearLine + progressLine({ ...lastProgress, total, step, ms }, columns));
    Atomics.store(state, states.drawn, 1);
  } catch {
    // A terminal that rejects output now may accept the next drawing.
  }
  Atomics.compareExchange(state, states.activity, drawing, idle);
  Atomics.notify(state, states.activity);
}
