import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export const inRoot = (...parts) => join(root, ...parts);

const exitCode = (code, signal) => code ?? 128 + (constants.signals[signal] ?? 0);

/**
 * Runs a program to its end; when it fails, so do we, with its code. `saying` is repeated while it takes long, `orElse`
 * is what to tell the operator, or a function that goes on instead of failing.
 */
export function run(program, args, { env = process.env, saying, orElse, stdio = 'inherit' } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio, env });
    const forward = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, forward);
    const started = Date.now();
    const beat = saying && setInterval(() => console.log(`${saying} (${seconds(started)} s so far)`), 20_000);
    const ended = (code, signal) => {
      clearInterval(beat);
      for (const name of signals) process.off(name, forward);
      if (code === 0) return resolve(true);
      if (typeof orElse === 'function') return resolve(orElse());
      if (orElse) console.error(orElse);
      process.exit(exitCode(code, signal));
    };
    child.once('error', () => ended(127, null));
    child.once('exit', ended);
  });
}

const seconds = (since) => Math.round((Date.now() - since) / 1000);

/**
 * Hands over to a program: our signals are its, its exit code is ours. A `watched` one is told by the closing of its
 * channel when we die, and stops when npm, which started us, is gone: no server is left behind that holds the port.
 */
export function become(program, args, { watched = false, cwd } = {}) {
  const child = spawn(program, args, {
    cwd: cwd ?? process.cwd(),
    stdio: ['inherit', 'inherit', 'inherit', ...(watched ? ['ipc'] : [])],
  });
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`${program} could not be run: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(exitCode(code, signal)));
  if (!watched || !process.env.npm_lifecycle_event) return;
  const npm = ancestors();
  setInterval(() => {
    if (ancestors() !== npm) child.kill('SIGTERM');
  }, 500).unref();
}

/** Who started us: npm, or npm by way of a shell, whose own parent Linux tells us. Changes when npm is gone. */
function ancestors() {
  if (process.platform !== 'linux') return `${process.ppid}`;
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${process.ppid}/stat`, 'utf8'));
    return /^(ba|da|z|a)?sh$/.test(name) ? `${process.ppid} ${parent}` : `${process.ppid}`;
  } catch {
    return 'gone';
  }
}
