import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceOptions } from '../../bin/service-options.mjs';
import { type Launch, startServer } from '../measure/server-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const emptyServer = `require('node:http').createServer((_, response) => response.end()).listen(process.env.PORT, '127.0.0.1')`;

export interface Start {
  readonly name: string;
  /** The best of several starts, in milliseconds. */
  readonly coldStart: number;
  readonly memoryAtRest: number | undefined;
}

export interface Starts {
  /** The built service without declared resources. */
  readonly gatehouse: Start;
  /** A `node:http` server that does nothing. */
  readonly empty: Start;
}

/** Starts both in turns. */
export async function measureStarts(times: number): Promise<Starts> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-start-'));
  const gatehouse = {
    name: 'Gatehouse without resources, best start',
    args: [...serviceOptions, join(root, 'dist/cli/main.js'), 'serve'],
    env: { DATABASE_URL: `sqlite:${join(dir, 'gatehouse.db')}`, DATA_DIR: dir, LOG_LEVEL: 'warn' },
    cwd: dir,
    ready: '/health/ready',
    operations: async () => ({}),
  };
  const empty = { ...gatehouse, name: 'empty node:http, best start', args: ['--eval', emptyServer], ready: '/' };
  try {
    // The first start creates the database and compiles. Only later starts are measured.
    await (await startServer(gatehouse)).stop();
    let [first, second] = [await startOnce(gatehouse), await startOnce(empty)];
    for (let i = 1; i < times; i++) {
      first = best(first, await startOnce(gatehouse));
      second = best(second, await startOnce(empty));
    }
    return { gatehouse: first, empty: second };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function startOnce(launch: Launch): Promise<Start> {
  const server = await startServer(launch);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const memoryAtRest = server.memory();
  await server.stop();
  return { name: server.name, coldStart: server.coldStart, memoryAtRest };
}

const best = (one: Start, other: Start): Start => (one.coldStart <= other.coldStart ? one : other);
