import { readdirSync, readFileSync } from 'node:fs';
import type { Engine } from '../src/database/database.ts';
import type { Plan } from './compare-operations.ts';
import { prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { drive, type Result } from './measure/load.ts';
import { type Measured, median, medianOf, type Ratio, ratioOf } from './measure/median.ts';
import { processorTime } from './measure/processor-time.ts';
import type { ServerProcess } from './measure/server-process.ts';

export interface WorkersFigures {
  readonly engine: Engine;
  readonly workers: number;
  readonly operation: string;
  /** Requests a second by all of them, to those by one. */
  readonly growth: Ratio;
  readonly one: Measured;
  readonly all: Measured;
  /** Microseconds of processor time that a request takes of the service, database apart. */
  readonly processorTime: { readonly one: number; readonly all: number };
}

const operations = ['get', 'list', 'client credentials', 'refresh'];

/** What further workers bring, beside the load generator on the same machine. Both services run all the time, and take turns. */
export async function compareWorkers(plan: Plan, postgresUrl: string | undefined): Promise<WorkersFigures[]> {
  const figures: WorkersFigures[] = [];
  for (const engine of ['sqlite', ...(postgresUrl ? ['postgres'] : [])] as Engine[]) {
    const cars = plan.quick ? 100 : 10_000;
    const few = await prepareGatehouse(engine, { cars }, postgresUrl);
    const many = await prepareGatehouse(engine, { cars }, postgresUrl);
    const servers = [await few.start(), await many.start([], { WORKERS: String(plan.workers) })];
    try {
      const asked = operations.filter((name) => plan.operations.includes(name));
      for (const operation of asked) figures.push({ engine, ...(await compare(servers, operation, plan)) });
    } finally {
      for (const server of servers) await server.stop();
      few.remove();
      many.remove();
    }
  }
  return figures;
}

async function compare(servers: readonly ServerProcess[], operation: string, plan: Plan) {
  const results: Result[][] = [[], []];
  const costs: number[][] = [[], []];
  for (let round = 0; round <= plan.rounds; round++) {
    for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const server = servers[i] as ServerProcess;
      const request = await server.again(operation);
      const before = processorTime(family(server.pid));
      const result = await drive(server.url, request, plan);
      if (round === 0) continue;
      results[i]?.push(result);
      costs[i]?.push(((processorTime(family(server.pid)) - before) * 1e6) / result.requests);
    }
  }
  console.log(`measured ${operation} with ${plan.workers} workers`);
  const [one, all] = results.map(medianOf) as [Measured, Measured];
  const [costOfOne, costOfAll] = costs.map(median) as [number, number];
  return {
    workers: plan.workers,
    operation,
    growth: ratioOf(all, one),
    one,
    all,
    processorTime: { one: costOfOne, all: costOfAll },
  };
}

/** The process that was started, and those that it has started. */
function family(pid: number): number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const children = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '));
    return [pid, ...children.filter(Boolean).map(Number)];
  } catch {
    return [pid];
  }
}
