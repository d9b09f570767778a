import type { Engine } from '../src/database/database.ts';
import type { Plan } from './compare-operations.ts';
import { idOf } from './gatehouse/seed.ts';
import { prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { type Cost, type Costed, costOf, driveCosted } from './measure/cost.ts';
import { type BenchRequest, checkOnce } from './measure/request.ts';
import type { ServerProcess } from './measure/server-process.ts';

export interface GrowthFigures {
  readonly engine: Engine;
  readonly sizes: readonly number[];
  /** Milliseconds per request, for each size. */
  readonly costs: Readonly<Record<string, readonly number[]>>;
  /** Of processor time. */
  readonly processor: Readonly<Record<string, readonly Cost[]>>;
}

const measured = [
  'client credentials',
  'refresh',
  'introspection',
  'get',
  'list',
  'search',
  'page with include',
  'not modified',
] as const;
const deepCursorPage = 'deep cursor page';

/** The same operations on tables of several sizes: users, sessions and cars, each with the same number of rows. */
export async function growth(plan: Plan, postgresUrl: string | undefined): Promise<GrowthFigures[]> {
  const figures = [await grow('sqlite', plan)];
  if (postgresUrl) figures.push(await grow('postgres', plan, postgresUrl));
  return figures;
}

async function grow(engine: Engine, plan: Plan, postgresUrl?: string): Promise<GrowthFigures> {
  const { sizes } = plan;
  const prepared = [];
  const servers: ServerProcess[] = [];
  try {
    for (const size of sizes) {
      prepared.push(await prepareGatehouse(engine, { cars: size, users: size, sessions: size }, postgresUrl));
      console.log(`created ${size} rows on ${engine}`);
    }
    for (const each of prepared) servers.push(await each.start());
    return { engine, sizes, ...(await measure(servers, plan)) };
  } finally {
    for (const server of servers) await server.stop();
    for (const each of prepared) each.remove();
  }
}

/** The number of rounds, of which the best counts. */
const maxRounds = 5;

/** All sizes in turns, so that noise affects all of them equally. The best of several rounds counts. */
async function measure(servers: readonly ServerProcess[], plan: Plan) {
  const costs: Record<string, number[]> = {};
  const processor: Record<string, Cost[]> = {};
  const selected: string[] = measured.filter((name) => plan.operations.includes(name));
  const cursors: BenchRequest[] = [];
  if (plan.operations.includes('cursor page')) {
    for (const [i, server] of servers.entries()) cursors.push(await deepCursor(server, plan.sizes[i] as number));
    selected.push(deepCursorPage);
  }
  for (const name of selected) {
    const rounds: Costed[][] = servers.map(() => []);
    for (let round = 0; round <= Math.min(plan.rounds, maxRounds); round++) {
      for (const [i, server] of servers.entries()) {
        const request = name === deepCursorPage ? (cursors[i] as BenchRequest) : await server.again(name);
        if (round === 0) await checkOnce(server.url, name, request);
        const costed = await driveCosted([{ server, request }], { connections: 8, seconds: plan.seconds });
        // The first round only warms up.
        if (round > 0) rounds[i]?.push(costed);
      }
    }
    costs[name] = rounds.map((each) => 1000 / Math.max(...each.map(({ result }) => result.perSecond)));
    processor[name] = rounds.map(costOf);
    console.log(`measured ${name}`);
  }
  return { costs, processor };
}

/** A cursor after nine tenths of the list. The benchmark pages to it, because cursors cannot be constructed. */
async function deepCursor({ url, operations }: ServerProcess, size: number): Promise<BenchRequest> {
  const { headers } = operations['page with include'] as BenchRequest;
  let cursor = '';
  const pages = Math.floor((size * 0.9) / 100);
  for (let i = 0; i < pages; i++) {
    const response = await fetch(`${url}/v1/cars?limit=100&cursor=${encodeURIComponent(cursor)}`, { headers });
    const { meta } = (await response.json()) as { meta: { pagination: { next_cursor: string | null } } };
    cursor = meta.pagination.next_cursor as string;
  }
  return {
    method: 'GET',
    path: `/v1/cars?limit=10&cursor=${encodeURIComponent(cursor)}`,
    headers,
    expect: { status: 200, includes: idOf(pages * 100 + 5) },
  };
}
