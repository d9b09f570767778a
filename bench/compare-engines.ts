import type { Plan } from './compare-operations.ts';
import { type PreparedGatehouse, prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { drive, type Result } from './measure/load.ts';
import { type Measured, median, medianOf } from './measure/median.ts';
import { postgresProcesses, processorTime } from './measure/processor-time.ts';
import { checkOnce } from './measure/request.ts';
import type { ServerProcess } from './measure/server-process.ts';

/** One operation on both engines, in the same rounds. */
export interface EngineFigures {
  readonly operation: string;
  readonly sqlite: Measured;
  readonly postgres: Measured;
  /** Microseconds of processor time a request: of the service, and of PostgreSQL's own processes. */
  readonly processor: { readonly sqlite: number; readonly postgres: number; readonly server: number };
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

interface Round {
  readonly result: Result;
  readonly service: number;
  readonly server: number;
}

/** PostgreSQL against SQLite, second by second in turns, with the processor time that either takes. */
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
      figures.push(await compare(operation, servers, plan, postgresUrl));
      console.log(`compared ${operation}`);
    }
    return figures;
  } finally {
    for (const server of servers) await server.stop();
    for (const each of prepared) each.remove();
  }
}

async function compare(
  operation: string,
  servers: readonly ServerProcess[],
  plan: Plan,
  postgresUrl: string,
): Promise<EngineFigures> {
  const rounds: Round[][] = servers.map(() => []);
  for (let round = 0; round <= plan.rounds; round++) {
    for (const [i, server] of servers.entries()) {
      const request = await server.again(operation);
      if (round === 0) await checkOnce(server.url, `${server.name}: ${operation}`, request);
      const measured = await timed(server, postgresUrl, () =>
        drive(server.url, request, { connections: plan.connections, seconds: plan.seconds }),
      );
      // The first round only warms up.
      if (round > 0) rounds[i]?.push(measured);
    }
  }
  const [sqlite = [], postgres = []] = rounds;
  const perRequest = (of: readonly Round[], what: 'service' | 'server') =>
    median(of.map((round) => (round[what] * 1e6) / round.result.requests));
  return {
    operation,
    sqlite: medianOf(sqlite.map(({ result }) => result)),
    postgres: medianOf(postgres.map(({ result }) => result)),
    processor: {
      sqlite: perRequest(sqlite, 'service'),
      postgres: perRequest(postgres, 'service'),
      server: perRequest(postgres, 'server'),
    },
  };
}

async function timed(server: ServerProcess, postgresUrl: string, work: () => Promise<Result>): Promise<Round> {
  const processes = await postgresProcesses(postgresUrl);
  const before = { service: processorTime([server.pid]), server: processorTime(processes) };
  const result = await work();
  return {
    result,
    service: processorTime([server.pid]) - before.service,
    server: processorTime(processes) - before.server,
  };
}
