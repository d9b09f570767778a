import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceOptions } from '../bin/service-options.mjs';
import { compilerFlags } from '../src/cli/serve.ts';
import { measureStarts, type Starts } from './gatehouse/measure-starts.ts';
import { searchedCar } from './gatehouse/operations.ts';
import { idOf, plateOf } from './gatehouse/seed.ts';
import { type PreparedGatehouse, prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { drive } from './measure/load.ts';
import { type Measured, medianOf } from './measure/median.ts';
import { type BenchRequest, checkOnce } from './measure/request.ts';
import type { Result } from './measure/result.ts';
import { type ServerProcess, startServer } from './measure/server-process.ts';

export interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly quick: boolean;
  readonly peers: boolean;
  readonly operations: readonly string[];
  /** The number of workers that are compared with one. */
  readonly workers: number;
  /** The numbers of rows at which growth is measured, in ascending order. */
  readonly sizes: readonly number[];
}

export interface ServerFigures {
  readonly name: string;
  readonly coldStart: number;
  readonly memoryAtRest: number | undefined;
  readonly memoryUnderLoad: number | undefined;
  readonly operations: Readonly<Record<string, Measured>>;
}

export interface Comparison {
  readonly starts: Starts;
  readonly limits: ServerFigures;
  /** The same limit, run by Node with the options of the service. */
  readonly limitsWithOptions: ServerFigures;
  /** The limit of tokens that a thread signs, and whose writes share commits. */
  readonly tokenLimits: ServerFigures;
  readonly gatehouse: readonly ServerFigures[];
  readonly peers: readonly ServerFigures[];
}

export const peers = ['oidc-provider', 'express-oauth-server', 'better-auth'] as const;
/** A password takes tens of milliseconds, so the load has fewer connections and lasts longer. */
const hashing = new Set(['password', 'register']);
const carsOf = ({ quick }: Plan): number => (quick ? 2_000 : 10_000);

/** Runs every operation on every server that supports it, in turns, so that noise affects all servers equally. */
export async function compareOperations(plan: Plan, postgresUrl: string | undefined): Promise<Comparison> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-limits-'));
  const prepared = [await prepareGatehouse('sqlite', { cars: carsOf(plan) })];
  if (postgresUrl) prepared.push(await prepareGatehouse('postgres', { cars: carsOf(plan) }, postgresUrl));
  const servers: ServerProcess[] = [];
  try {
    const gatehouse: ServerProcess[] = [];
    const starts = await measureStarts(plan.quick ? 1 : 5);
    for (const each of prepared) gatehouse.push(await each.start());
    const limitsOf = (launch: LimitLaunch) =>
      startLimits(prepared[0] as PreparedGatehouse, gatehouse[0] as ServerProcess, scratch, launch);
    const options = [...serviceOptions, ...compilerFlags];
    servers.push(await limitsOf({ name: 'node:http' }), ...gatehouse);
    servers.push(await limitsOf({ name: 'node:http, with our Node options', options }));
    const tokenServer = { name: 'node:http, signing thread, shared commits', program: 'token-server', ready: '/' };
    servers.push(await limitsOf({ ...tokenServer, options }));
    for (const name of plan.peers ? peers : []) {
      const file = fileURLToPath(new URL(`peers/${name}.mjs`, import.meta.url));
      servers.push(await startServer({ name, args: [file], ready: '/ready' }));
    }
    const figures = await measure(servers, plan);
    return {
      starts,
      limits: figures[0] as ServerFigures,
      gatehouse: figures.slice(1, 1 + gatehouse.length),
      limitsWithOptions: figures[1 + gatehouse.length] as ServerFigures,
      tokenLimits: figures[2 + gatehouse.length] as ServerFigures,
      peers: figures.slice(3 + gatehouse.length),
    };
  } finally {
    for (const server of servers) await server.stop();
    for (const each of prepared) each.remove();
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface LimitLaunch {
  readonly name: string;
  readonly options?: readonly string[];
  readonly program?: string;
  readonly ready?: string;
}

async function startLimits(
  prepared: PreparedGatehouse,
  server: ServerProcess,
  dir: string,
  { name, options = [], program = 'server', ready = '/get' }: LimitLaunch,
): Promise<ServerProcess> {
  const { path, headers } = server.operations.get as BenchRequest;
  const response = await fetch(server.url + path, { headers });
  const kept = [...response.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));
  const file = join(dir, 'answer.json');
  writeFileSync(file, JSON.stringify({ request: headers, headers: kept }));
  return startServer({
    name,
    args: [...options, fileURLToPath(new URL(`limits/${program}.ts`, import.meta.url))],
    ready,
    env: {
      LIMIT_DATABASE: prepared.databaseUrl.slice('sqlite:'.length),
      LIMIT_SCRATCH: join(dir, `${program}${options.length}.db`),
      LIMIT_ANSWER: file,
      LIMIT_CAR: idOf(123),
      LIMIT_PLATE: plateOf(searchedCar).toLowerCase(),
    },
  });
}

async function measure(servers: readonly ServerProcess[], plan: Plan): Promise<ServerFigures[]> {
  const names = [...new Set(servers.flatMap((server) => Object.keys(server.operations)))].filter((name) =>
    plan.operations.includes(name),
  );
  const atRest = servers.map((server) => server.memory());
  const results = servers.map(() => new Map<string, Result[]>());
  for (const name of names) {
    for (let round = 0; round <= plan.rounds; round++) {
      // Alternating order, so that no server is always measured after the same one.
      for (const i of servers.map((_, n) => (round % 2 === 0 ? n : servers.length - 1 - n))) {
        const server = servers[i] as ServerProcess;
        if (!server.operations[name]) continue;
        const request = await server.again(name);
        if (round === 0) await checkOnce(server.url, `${server.name}: ${name}`, request);
        const load = hashing.has(name)
          ? { connections: 8, seconds: Math.max(plan.seconds, plan.quick ? 2 : 5) }
          : { connections: plan.connections, seconds: round === 0 ? 1 : plan.seconds };
        // The first round only warms up.
        if (round === 0 && plan.quick) continue;
        const result = await drive(server.url, request, load);
        if (round > 0) results[i]?.set(name, [...(results[i]?.get(name) ?? []), result]);
      }
    }
    console.log(`measured ${name}`);
  }
  return servers.map((server, i) => ({
    name: server.name,
    coldStart: server.coldStart,
    memoryAtRest: atRest[i],
    memoryUnderLoad: server.memory(),
    operations: Object.fromEntries([...(results[i] ?? [])].map(([name, rounds]) => [name, medianOf(rounds)])),
  }));
}
