import type { Engine } from '../src/database/database.ts';
import type { Plan } from './compare-operations.ts';
import { idOf } from './gatehouse/seed.ts';
import { prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { drive } from './measure/load.ts';
import { type BenchRequest, checkOnce } from './measure/request.ts';
import type { ServerProcess } from './measure/server-process.ts';

export interface GrowthFigures {
  readonly engine: Engine;
  readonly sizes: readonly number[];
  /** Milliseconds a request, for each size. */
  readonly costs: Readonly<Record<string, readonly number[]>>;
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
  const sizes = plan.quick ? [1_000, 10_000] : [10_000, 100_000, 1_000_000];
  const prepared = [];
  const servers: ServerProcess[] = [];
  try {
    for (const size of sizes) {
      prepared.push(await prepareGatehouse(engine, { cars: size, users: size, sessions: size }, postgresUrl));
      console.log(`made ${size} rows on ${engine}`);
    }
    for (const each of prepared) servers.push(await each.start());
    return { engine, sizes, costs: await measure(servers, plan) };
  } finally {
    for (const server of servers) await server.stop();
    for (const each of prepared) each.remove();
  }
}

/** All sizes in turns, so that noise hits all alike; the best of some rounds counts. */
async function measure(servers: readonly ServerProcess[], plan: Plan): Promise<Record<string, number[]>> {
  const costs: Record<string, number[]> = {};
  const cursors = await Promise.all(servers.map(deepCursor));
  for (const name of [...measured, deepCursorPage]) {
    const best = servers.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round <= (plan.quick ? 1 : 5); round++) {
      for (const [i, server] of servers.entries()) {
        const request = name === deepCursorPage ? (cursors[i] as BenchRequest) : await server.again(name);
        if (round === 0) await checkOnce(server.url, name, request);
        const { perSecond } = await drive(server.url, request, { connections: 8, seconds: 1 });
        // The first round only warms up.
        if (round > 0) best[i] = Math.min(best[i] as number, 1000 / perSecond);
      }
    }
    costs[name] = best;
    console.log(`measured ${name}`);
  }
  return costs;
}

/** A cursor some thousand rows into the list: walked there, because cursors cannot be made by hand. */
async function deepCursor({ url, operations }: ServerProcess): Promise<BenchRequest> {
  const { headers } = operations['page with include'] as BenchRequest;
  let cursor = '';
  for (let i = 0; i < 9; i++) {
    const answer = await fetch(`${url}/v1/cars?limit=100&cursor=${encodeURIComponent(cursor)}`, { headers });
    const { meta } = (await answer.json()) as { meta: { pagination: { next_cursor: string | null } } };
    if (meta.pagination.next_cursor === null) break;
    cursor = meta.pagination.next_cursor;
  }
  return {
    method: 'GET',
    path: `/v1/cars?limit=10&cursor=${encodeURIComponent(cursor)}`,
    headers,
    expect: { status: 200, includes: idOf(905) },
  };
}
