import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ended } from './command.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A folder whose code finds the packages of the repository; the suite deletes it. It is in `.cache`, because other
 * tests read the sources and tests at the same time.
 */
export function folderInRepository(name: string): string {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache', `${name}-`));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A way to start the service: its program, arguments and working folder. */
export interface Starter {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** Another folder than the project, if the command works in any folder. */
  readonly anywhere: boolean;
}

/** `npm start` in this repository, and the command that the package installs. */
export const starters: readonly Starter[] = [
  { name: 'npm start', command: ['npm', 'start', '--silent'], anywhere: false },
  { name: 'gatehouse serve', command: [process.execPath, `${root}bin/gatehouse.mjs`, 'serve'], anywhere: true },
];

export interface StartedProcess {
  readonly child: ChildProcess;
  /** The output so far, of both streams. */
  printed(): string;
  /** Resolves when the text has been printed; rejects when the process ends before. */
  says(what: RegExp): Promise<void>;
  readonly end: Promise<[number | null, NodeJS.Signals | null]>;
}

/** Starts processes, each in its own process group. Kills the remaining ones after the current suite. */
export function startedProcesses(): (
  { command, anywhere }: Starter,
  cwd: string,
  env: Record<string, string>,
) => StartedProcess {
  const started: StartedProcess[] = [];
  after(async () => {
    for (const { child } of started) killGroup(child, 'SIGKILL');
    await Promise.all(started.map(({ end }) => end));
  });
  return ({ command: [program, ...args], anywhere }, cwd, env) => {
    const child = spawn(program, args, {
      cwd: anywhere ? cwd : root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        text += chunk;
      });
    const startedProcess = { child, printed: () => text, says, end: ended(child) };
    async function says(what: RegExp): Promise<void> {
      while (!what.test(text)) {
        if (child.exitCode !== null) throw new Error(`ended before it printed ${what}:\n${text}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    started.push(startedProcess);
    return startedProcess;
  };
}

/** The process and its child processes. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid as number), signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
