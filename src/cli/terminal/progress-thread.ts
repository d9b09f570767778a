import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { clearLine, type DrawingData, drawing, ended, idle, states } from './drawing.ts';
import { progressLine } from './progress-line.ts';

const redrawMs = 100;
const { fd, columns, total, quietMs, state, done, what: first } = workerData as DrawingData;
const began = performance.now();
let what = first;
let seen = { done: 0, movedAt: 0 };
parentPort?.on('message', (next: string) => {
  what = next;
});

const timer = setInterval(draw, redrawMs);
draw();

/** Ending the bar waits for a running drawing, and prevents the next one. */
function draw(): void {
  const ms = performance.now() - began;
  const so = done[0] ?? 0;
  if (so !== seen.done) seen = { done: so, movedAt: ms };
  if (ms < quietMs) return;
  if (Atomics.compareExchange(state, states.hand, idle, drawing) === ended) {
    clearInterval(timer);
    parentPort?.close();
    return;
  }
  try {
    writeSync(fd, clearLine + progressLine({ ...seen, total, what, ms }, columns));
    Atomics.store(state, states.drawn, 1);
  } catch {
    // A terminal that rejects output now may accept the next drawing.
  }
  Atomics.compareExchange(state, states.hand, drawing, idle);
  Atomics.notify(state, states.hand);
}
