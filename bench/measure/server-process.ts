import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import type { BenchRequest, Operations } from './request.ts';

/** A server under test. It is a separate process, so that its memory and its startup can be measured. */
export interface ServerProcess {
  readonly name: string;
  readonly url: string;
  readonly operations: Operations;
  /** Fetches the operation again, if its values were used up. */
  again(operation: string): Promise<BenchRequest>;
  /** Milliseconds from the start of the process to its first successful response. */
  readonly coldStart: number;
  /** Of the process. */
  readonly pid: number;
  /** The folder of its data, if known. */
  readonly databaseUrl: string | undefined;
  /** Resident memory in MB; undefined if the system does not report it. */
  memory(): number | undefined;
  stop(): Promise<void>;
}

export interface Launch {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly databaseUrl?: string;
  /** A path that returns 2xx when the server is ready. */
  readonly ready: string;
  readonly operations?: (url: string, server: ChildProcess) => Promise<Operations>;
}

/**
 * Starts the server, waits for its first response, and requests its list of operations (`GET /bench/operations` by
 * default).
 */
export async function startServer(launch: Launch): Promise<ServerProcess> {
  const { name, args, env = {}, cwd, databaseUrl, ready, operations } = launch;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const child = spawn(process.execPath, [...args], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: tmpdir(),
      NODE_ENV: 'production',
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
    ...(cwd ? { cwd } : {}),
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => void child.kill('SIGKILL');
  // Before the folder of its data is removed.
  process.prependOnceListener('exit', kill);
  try {
    await responses(url + ready, child, name);
    const coldStart = performance.now() - started;
    const request = operations ?? requestOperations;
    const list = await request(url, child);
    return {
      name,
      url,
      operations: list,
      async again(operation) {
        const known = list[operation] as BenchRequest;
        return known.nextValue ? ((await request(url, child))[operation] as BenchRequest) : known;
      },
      coldStart,
      pid: child.pid as number,
      databaseUrl,
      memory: () => residentMemory(child.pid as number),
      async stop() {
        process.off('exit', kill);
        child.kill('SIGTERM');
        // A profiled process writes its profile when it ends, which takes a while on a busy machine.
        const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
        await ended;
        clearTimeout(timer);
      },
    };
  } catch (error) {
    kill();
    throw error;
  }
}

async function responses(url: string, child: ChildProcess, name: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    if (child.exitCode !== null) throw new Error(`${name} exited unexpectedly with code ${child.exitCode}`);
    const good = await fetch(url, { headers: { accept: 'application/json' } }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.ok;
      },
      () => false,
    );
    if (good) return;
    if (attempt > 3000) throw new Error(`${name} did not respond at ${url}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const requestOperations = async (url: string): Promise<Operations> =>
  (await (await fetch(`${url}/bench/operations`)).json()) as Operations;

function residentMemory(pid: number): number | undefined {
  try {
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes ? Number(kilobytes) / 1024 : undefined;
  } catch {
    return undefined; // Only Linux has /proc.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
