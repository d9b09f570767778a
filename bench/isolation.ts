import type { Plan } from './compare-operations.ts';
import { runSql } from './gatehouse/run-sql.ts';
import { prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { drive } from './measure/load.ts';
import { medianOf } from './measure/median.ts';
import type { BenchRequest } from './measure/request.ts';
import type { Result } from './measure/result.ts';

export interface IsolationFigures {
  readonly rows: number;
  readonly atRest: Result;
  readonly during: readonly ({ readonly name: string } & Result)[];
}

/** Measures an authenticated GET while the service does heavy work. */
export async function isolation(plan: Plan): Promise<IsolationFigures> {
  const rows = plan.quick ? 5_000 : 1_000_000;
  const expired = plan.quick ? 2_000 : 200_000;
  const prepared = await prepareGatehouse('sqlite', { cars: rows, users: expired, sessions: expired });
  const server = await prepared.start();
  const get = server.operations.get as BenchRequest;
  const load = { connections: 4, seconds: plan.quick ? 1 : 4 };
  const longer = { connections: 32, seconds: load.seconds + 1 };
  const rounds = plan.quick ? 1 : 3;
  try {
    await drive(server.url, get, load);
    const idleResults: Result[] = [];
    const loads: Record<string, () => Promise<unknown>> = {
      'while logins saturate the hashing queue': async () => drive(server.url, await server.again('password'), longer),
      'while searches read the whole table': () => search(server.url, get, performance.now() + longer.seconds * 1000),
      'while a cursor reads the whole table': () => walk(server.url, get, performance.now() + longer.seconds * 1000),
      'while cars are being imported': () => importCars(server.url, get, performance.now() + longer.seconds * 1000),
    };
    const during: ({ name: string } & Result)[] = [];
    for (const [name, startLoad] of Object.entries(loads)) {
      const loadedResults: Result[] = [];
      for (let round = 0; round < rounds; round++) {
        idleResults.push(await drive(server.url, get, load));
        const running = startLoad();
        await new Promise((resolve) => setTimeout(resolve, 300));
        loadedResults.push(await drive(server.url, get, load));
        await running;
      }
      during.push({ name, ...medianOf(loadedResults) });
      console.log(`measured ${name}`);
    }
    during.push({ name: 'while expired sessions are being pruned', ...(await whilePruning(prepared, load)) });
    return { rows, atRest: medianOf(idleResults), during };
  } finally {
    await server.stop();
    prepared.remove();
  }
}

/** Sessions that expire together just before a start. The first pruning of the service deletes all of them. */
async function whilePruning(
  prepared: Awaited<ReturnType<typeof prepareGatehouse>>,
  load: { connections: number; seconds: number },
): Promise<Result> {
  await runSql(prepared.databaseUrl, [`update sessions set expires_at = ${Date.now() - 1} where client_id is null`]);
  const server = await prepared.start();
  try {
    return await drive(server.url, server.operations.get as BenchRequest, load);
  } finally {
    await server.stop();
  }
}

/** Leading wildcards, which cannot use an index: each scans all rows, twice. Many end at their time limit. */
async function search(url: string, { headers }: BenchRequest, until: number): Promise<void> {
  const values = Array.from({ length: 5 }, (_, i) => `*nothing${i}*`).join(',');
  const sender = async () => {
    while (performance.now() < until) {
      const response = await fetch(`${url}/v1/cars?search=plate:${values}&count=exact`, { headers });
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: 8 }, sender));
}

async function walk(url: string, { headers }: BenchRequest, until: number): Promise<void> {
  let cursor = '';
  while (performance.now() < until) {
    const response = await fetch(`${url}/v1/cars?limit=100&cursor=${encodeURIComponent(cursor)}`, { headers });
    const { meta } = (await response.json()) as { meta: { pagination: { next_cursor: string | null } } };
    cursor = meta.pagination.next_cursor ?? '';
  }
}

async function importCars(url: string, { headers }: BenchRequest, until: number): Promise<void> {
  const response = await fetch(`${url}/v1/owners?limit=1`, { headers });
  const { data } = (await response.json()) as { data: { id: string }[] };
  const body = JSON.stringify({ plate: 'NEW', color: 'Red', owner_id: data[0]?.id });
  const sender = async () => {
    while (performance.now() < until) {
      await fetch(`${url}/v1/cars`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      });
    }
  };
  await Promise.all(Array.from({ length: 8 }, sender));
}
