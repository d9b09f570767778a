import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
export const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export const inRoot = (...parts) => join(root, ...parts);

/** If a signal ends npm, only the shell of npm gets the signal. Then this process has another parent. */
const parent = process.ppid;
const isOrphan = () => process.env.npm_lifecycle_event && process.ppid !== parent;

const exitCode = (code, signal) => code ?? 128 + (constants.signals[signal] ?? 0);

/**
 * Runs a program and resolves when it ends. If it fails, this process exits with the same code. `progressMessage` is
 * printed at intervals. `onFailure` is a message for a failure, or a function that runs instead of exiting, unless a
 * signal stopped the program. If `stdio` has a pipe for the errors, the function gets them.
 */
export function run(
  program,
  args,
  { env = process.env, cwd = root, progressMessage, onFailure, stdio = 'inherit' } = {},
) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, stdio, env });
    let stopped = false;
    const forward = (signal) => {
      stopped = true;
      child.kill(signal);
    };
    for (const signal of signals) process.on(signal, forward);
    const stop = () => child.kill();
    process.on('exit', stop);
    const watch = setInterval(() => isOrphan() && forward('SIGTERM'), 1000);
    let errors = '';
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    const started = Date.now();
    const timer =
      progressMessage && setInterval(() => console.log(`${progressMessage} (${seconds(started)} s so far)`), 20_000);
    const ended = (code, signal) => {
      clearInterval(timer);
      clearInterval(watch);
      for (const name of signals) process.off(name, forward);
      process.off('exit', stop);
      if (code === 0) return resolve(true);
      if (typeof onFailure === 'function' && !stopped) return resolve(onFailure(errors));
      if (typeof onFailure === 'string') console.error(onFailure);
      process.exit(exitCode(code, signal));
    };
    child.once('error', () => ended(127, null));
    child.once('close', ended);
  });
}

const seconds = (since) => Math.round((Date.now() - since) / 1000);

/** Replaces this process with a program, or forwards signals to it and exits with its exit code. `keepProcess` never replaces this process. */
export function execProgram(program, args, { cwd = process.cwd(), keepProcess = false } = {}) {
  if (!keepProcess && process.execve && process.platform !== 'win32') {
    process.chdir(cwd);
    process.execve(program, [program, ...args], process.env);
  }
  const child = spawn(program, args, { cwd, stdio: 'inherit' });
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`${program} could not be run: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(exitCode(code, signal)));
}
