import type { Engine } from '../src/database/database.ts';
import type { Plan } from './compare-operations.ts';
import { idOf } from './gatehouse/seed.ts';
import { prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { drive } from './measure/load.ts';
import { type BenchRequest, checkOnce } from './measure/request.ts';

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

/** The same operations while the tables grow: users, sessions and cars, each to the same number of rows. */
export async function growth(plan: Plan, postgresUrl: string | undefined): Promise<GrowthFigures[]> {
  const figures = [await grow('sqlite', plan)];
  if (postgresUrl) figures.push(await grow('postgres', plan, postgresUrl));
  return figures;
}

async function grow(engine: Engine, plan: Plan, postgresUrl?: string): Promise<GrowthFigures> {
  const sizes = plan.quick ? [1_000, 10_000] : [10_000, 100_000, 1_000_000];
  const prepared = await prepareGatehouse(engine, {}, postgresUrl);
  const costs: Record<string, number[]> = {};
  try {
    for (const size of sizes) {
      await prepared.grow({ cars: size, users: size, sessions: size });
      const server = await prepared.start();
      try {
        const operations: Record<string, BenchRequest> = {};
        for (const name of measured) operations[name] = await server.again(name);
        operations['deep cursor page'] = await deepCursor(server.url, operations['page with include'] as BenchRequest);
        for (const [name, request] of Object.entries(operations)) {
          await checkOnce(server.url, name, request);
          const best = await bestOf(plan.quick ? 1 : 3, async () => {
            const fresh = name in server.operations ? await server.again(name) : request;
            const { perSecond } = await drive(server.url, fresh, { connections: 8, seconds: plan.quick ? 1 : 2 });
            return 1000 / perSecond;
          });
          costs[name] = [...(costs[name] ?? []), best];
        }
      } finally {
        await server.stop();
      }
      console.log(`measured ${size} rows on ${engine}`);
    }
  } finally {
    prepared.remove();
  }
  return { engine, sizes, costs };
}

async function bestOf(times: number, measure: () => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) best = Math.min(best, await measure());
  return best;
}

/** A cursor some thousand rows into the list: walked there, because cursors cannot be made by hand. */
async function deepCursor(url: string, { headers }: BenchRequest): Promise<BenchRequest> {
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
