#!/usr/bin/env node
// The command `gatehouse`. It also runs on old versions of Node, to print which version is required.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isNewEnough, requiredNode } from './required-node.mjs';
import { serviceOptions } from './service-options.mjs';
import { recordStarter } from './starter.mjs';

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const args = process.argv.slice(2);
if (['serve', 'dev'].includes(args[0])) recordStarter();

const inClone = new URL('../scripts/run.mjs', import.meta.url);
const isReady = isNewEnough() && existsSync(main);
if (!isReady && existsSync(inClone)) {
  // Installs a current Node and builds the program if necessary, and then runs it.
  process.argv.splice(2, 0, 'cli');
  import(inClone.href);
} else if (!isReady) {
  fail(
    isNewEnough()
      ? 'The package is incomplete. Install it again.'
      : `Gatehouse needs Node ${requiredNode} or newer, and this is ${process.version}. Install it from https://nodejs.org, then try again.`,
  );
} else if (args[0] !== 'serve') {
  import('../dist/cli/main.js');
} else if (process.platform !== 'win32' && process.execve) {
  // Replaces this process, so that the Node options apply and signals reach the service directly. A listener for signals could not run
  // before that, and the signal would be lost.
  process.removeAllListeners('warning');
  process.execve(
    process.execPath,
    [process.execPath, ...process.execArgv, ...serviceOptions, main, ...args],
    process.env,
  );
} else {
  const child = spawn(process.execPath, [...process.execArgv, ...serviceOptions, main, ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

function fail(message) {
  console.error(`gatehouse: ${message}`);
  process.exitCode = 1;
}
