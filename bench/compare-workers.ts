import type { Engine } from '../src/database/database.ts';
import type { Plan } from './compare-operations.ts';
import { type PreparedGatehouse, prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { type Cost, type Costed, costOf, driveCosted } from './measure/cost.ts';
import { type Measured, medianOf, type Ratio, ratioOf } from './measure/median.ts';
import { checkOnce } from './measure/request.ts';
import type { ServerProcess } from './measure/server-process.ts';

/**
 * One process, several workers, and the same number of separate services. The machine causes the additional cost of
 * the separate services.
 */
export type Arrangement = 'one' | 'workers' | 'apart';

export interface WorkersFigures {
  readonly engine: Engine;
  readonly workers: number;
  readonly operation: string;
  /** The ratio of the total rate to the rate of one process. */
  readonly growth: Ratio;
  readonly growthApart: Ratio;
  readonly one: Measured;
  readonly all: Measured;
  readonly costs: Readonly<Record<Arrangement, Cost>>;
}

const arrangements = ['one', 'workers', 'apart'] as const;
const operations = ['get', 'list', 'client credentials', 'refresh'];

/** The gain from more workers. The load generator runs on the same machine. All services run all the time and take turns. */
export async function compareWorkers(plan: Plan, postgresUrl: string | undefined): Promise<WorkersFigures[]> {
  const figures: WorkersFigures[] = [];
  for (const engine of ['sqlite', ...(postgresUrl ? ['postgres'] : [])] as Engine[]) {
    const prepared: PreparedGatehouse[] = [];
    const started: ServerProcess[] = [];
    const start = async (workers: number) => {
      const gatehouse = await prepareGatehouse(engine, { cars: plan.quick ? 100 : 10_000 }, postgresUrl);
      prepared.push(gatehouse);
      const server = await gatehouse.start([], workers > 1 ? { WORKERS: String(workers) } : {});
      started.push(server);
      return server;
    };
    try {
      const services: Record<Arrangement, ServerProcess[]> = {
        one: [await start(1)],
        workers: [await start(plan.workers)],
        apart: [],
      };
      for (let i = 0; i < plan.workers; i++) services.apart.push(await start(1));
      const selected = operations.filter((name) => plan.operations.includes(name));
      for (const operation of selected) figures.push({ engine, ...(await compare(services, operation, plan)) });
    } finally {
      for (const server of started) await server.stop();
      for (const each of prepared) each.remove();
    }
  }
  return figures;
}

async function compare(services: Record<Arrangement, ServerProcess[]>, operation: string, plan: Plan) {
  const rounds: Record<Arrangement, Costed[]> = { one: [], workers: [], apart: [] };
  for (let round = 0; round <= plan.rounds; round++) {
    for (const name of round % 2 === 0 ? arrangements : arrangements.toReversed()) {
      const driven = services[name].map(async (server) => {
        const request = await server.again(operation);
        if (round === 0) await checkOnce(server.url, `${server.name}: ${operation}`, request);
        return { server, request };
      });
      const costed = await driveCosted(await Promise.all(driven), plan);
      // The first round only warms up.
      if (round > 0) rounds[name].push(costed);
    }
  }
  console.log(`measured ${operation} with ${plan.workers} workers`);
  const measured = (name: Arrangement) => medianOf(rounds[name].map(({ result }) => result));
  const [one, all] = [measured('one'), measured('workers')];
  return {
    workers: plan.workers,
    operation,
    growth: ratioOf(all, one),
    growthApart: ratioOf(measured('apart'), one),
    one,
    all,
    costs: { one: costOf(rounds.one), workers: costOf(rounds.workers), apart: costOf(rounds.apart) },
  };
}
