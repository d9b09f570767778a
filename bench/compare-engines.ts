import type { Plan } from './compare-operations.ts';
import { type PreparedGatehouse, prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { type Cost, type Costed, costOf, driveCosted } from './measure/cost.ts';
import { type Measured, medianOf } from './measure/median.ts';
import { checkOnce } from './measure/request.ts';
import type { ServerProcess } from './measure/server-process.ts';

/** One operation on both engines, in the same rounds. */
export interface EngineFigures {
  readonly operation: string;
  readonly sqlite: Measured;
  readonly postgres: Measured;
  readonly costs: { readonly sqlite: Cost; readonly postgres: Cost };
}

const compared = [
  'get',
  'get any',
  'not modified',
  'list',
  'search',
  'page with include',
  'client credentials',
  'refresh',
  'introspection',
];
const cars = 10_000;

/** Compares PostgreSQL and SQLite in turns, second by second, with the processor time of each. */
export async function compareEngines(plan: Plan, postgresUrl: string): Promise<EngineFigures[]> {
  const prepared: PreparedGatehouse[] = [];
  const servers: ServerProcess[] = [];
  try {
    prepared.push(
      await prepareGatehouse('sqlite', { cars }),
      await prepareGatehouse('postgres', { cars }, postgresUrl),
    );
    for (const each of prepared) servers.push(await each.start());
    const figures: EngineFigures[] = [];
    for (const operation of compared.filter((name) => (plan.operations as readonly string[]).includes(name))) {
      figures.push(await compare(operation, servers, plan));
      console.log(`compared ${operation}`);
    }
    return figures;
  } finally {
    for (const server of servers) await server.stop();
    for (const each of prepared) each.remove();
  }
}

async function compare(operation: string, servers: readonly ServerProcess[], plan: Plan): Promise<EngineFigures> {
  const rounds: Costed[][] = servers.map(() => []);
  for (let round = 0; round <= plan.rounds; round++) {
    for (const [i, server] of servers.entries()) {
      const request = await server.again(operation);
      if (round === 0) await checkOnce(server.url, `${server.name}: ${operation}`, request);
      const costed = await driveCosted([{ server, request }], plan);
      // The first round only warms up.
      if (round > 0) rounds[i]?.push(costed);
    }
  }
  const [sqlite = [], postgres = []] = rounds;
  return {
    operation,
    sqlite: medianOf(sqlite.map(({ result }) => result)),
    postgres: medianOf(postgres.map(({ result }) => result)),
    costs: { sqlite: costOf(sqlite), postgres: costOf(postgres) },
  };
}
