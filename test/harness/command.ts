import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serviceOptions } from '../../bin/service-options.mjs';

const here = fileURLToPath(new URL('../../', import.meta.url));

/** `quick-crypto.ts`, if this process has loaded it: both processes must read the password hashes of one database. */
const preloaded = process.execArgv.filter((option) => /^--import=.*\/quick-(crypto|commits)\.ts$/.test(option));

/** The command line as it is built, or from the sources of the version in another folder. */
const program = (root: string): string[] =>
  root === here
    ? [...serviceOptions, ...preloaded, `${root}dist/cli/main.js`]
    : ['--conditions=gatehouse-source', ...preloaded, `${root}src/cli/main.ts`];

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Env = Record<string, string>;

/** The command does not inherit the settings of this process. */
const environment = (env: Env): Env => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
  ...(process.env.TEST_RSA_KEYS && { TEST_RSA_KEYS: process.env.TEST_RSA_KEYS }),
  ...env,
});

/** Starts `gatehouse ARGS` as a process. */
export const startCommand = (
  args: readonly string[],
  cwd: string,
  env: Env = {},
  root = here,
): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [...program(root), ...args], { cwd, env: environment(env) });

/** Runs `gatehouse ARGS` to its end, as an operator would. */
export async function gatehouse(args: readonly string[], cwd: string, env: Env = {}, root = here): Promise<Outcome> {
  const child = startCommand(args, cwd, env, root);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code, signal] = await ended(child);
  return { code, signal, stdout: await stdout, stderr: await stderr };
}

async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

export const ended = (child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve([child.exitCode, child.signalCode]);
    else child.once('exit', (code, signal) => resolve([code, signal]));
  });

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** The lines that it has logged so far. */
  readonly lines: readonly string[];
}

/** Starts servers as separate processes. Those that still run after the current suite are killed. */
export function serverProcesses(): (cwd: string, env?: Env, root?: string) => Promise<ServerProcess> {
  const children: ChildProcess[] = [];
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(ended));
  });
  return (cwd, env = {}, root = here) => {
    const child = spawn(process.execPath, [...program(root), 'serve'], {
      cwd,
      env: environment({ PORT: '0', RATE_LIMIT: '0', DRAIN_SECONDS: '0', ...env }),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    children.push(child);
    const lines: string[] = [];
    return new Promise((resolve, reject) => {
      const read = (line: string) => {
        lines.push(line);
        const url = /"address":"(http:[^"]+)","msg":"listening"/.exec(line)?.[1];
        if (url) resolve({ child, url, lines });
      };
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', read);
      createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', read);
      child.once('close', (code) => reject(new Error(`ended with ${code} before it listened:\n${lines.join('\n')}`)));
    });
  };
}
