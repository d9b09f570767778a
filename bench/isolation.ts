import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Plan } from './compare-operations.ts';
import { runSql } from './gatehouse/run-sql.ts';
import { prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { drive, driveStrictly } from './measure/load.ts';
import { medianOf } from './measure/median.ts';
import { type BenchRequest, checkOnce } from './measure/request.ts';
import type { Result } from './measure/result.ts';

/** The service has no part in it: it shows how the system divides the processor. */
export const control = 'while another process computes and sends nothing';

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
  const elsewhere = { url: server.url, get, ms: longer.seconds * 1000 };
  let isStopped = false;
  const lowest = constants.priority.PRIORITY_LOW;
  try {
    for (const name of ['get', 'password']) await checkOnce(server.url, name, server.operations[name] as BenchRequest);
    await driveStrictly(server.url, get, load);
    const idleResults: Result[] = [];
    const loads: Record<string, () => Promise<unknown>> = {
      'while logins saturate the hashing queue': async () => drive(server.url, await server.again('password'), longer),
      'while searches read the whole table': () => search(server.url, get, performance.now() + longer.seconds * 1000),
      'while a cursor reads the whole table': () => workElsewhere('walk', elsewhere),
      'while a cursor with low priority reads it': () => workElsewhere('walk', elsewhere, lowest),
      'while cars are being imported': () => workElsewhere('importCars', elsewhere),
      'while cars are being imported with low priority': () => workElsewhere('importCars', elsewhere, lowest),
      [control]: () => workElsewhere('compute', elsewhere),
    };
    const during: ({ name: string } & Result)[] = [];
    for (const [name, startLoad] of Object.entries(loads)) {
      const loadedResults: Result[] = [];
      for (let round = 0; round < rounds; round++) {
        idleResults.push(await driveStrictly(server.url, get, load));
        const running = startLoad();
        await new Promise((resolve) => setTimeout(resolve, 300));
        loadedResults.push(await driveStrictly(server.url, get, load));
        await running;
      }
      during.push({ name, ...medianOf(loadedResults) });
      console.log(`measured ${name}`);
    }
    // Otherwise this process would prune too.
    await server.stop();
    isStopped = true;
    during.push({ name: 'while expired sessions are being pruned', ...(await whilePruning(prepared, load)) });
    return { rows, atRest: medianOf(idleResults), during };
  } finally {
    if (!isStopped) await server.stop();
    prepared.remove();
  }
}

/** Sessions that expired together. The service prunes every minute, so the load waits for the first deleted row. */
async function whilePruning(
  prepared: Awaited<ReturnType<typeof prepareGatehouse>>,
  load: { connections: number; seconds: number },
): Promise<Result> {
  const expired = Date.now() - 1;
  await runSql(prepared.databaseUrl, [
    `update sessions set expires_at = ${expired}, prune_at = ${expired} where client_id is null`,
  ]);
  const server = await prepared.start();
  const get = server.operations.get as BenchRequest;
  const file = new DatabaseSync(prepared.databaseUrl.slice('sqlite:'.length), { readOnly: true });
  const count = () => Number(file.prepare('select count(*) as sessions from sessions').get()?.sessions);
  try {
    const before = count();
    await driveStrictly(server.url, get, { ...load, seconds: 1 });
    const deadline = performance.now() + 90_000;
    while (count() >= before) {
      if (performance.now() > deadline) throw new Error('the service did not prune its expired sessions');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return await driveStrictly(server.url, get, load);
  } finally {
    file.close();
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

/** Works in another process. With a low priority, it only gets the processor time that the service and the load leave. */
async function workElsewhere(
  work: 'walk' | 'importCars' | 'compute',
  { url, get, ms }: { url: string; get: BenchRequest; ms: number },
  priority: number = constants.priority.PRIORITY_NORMAL,
): Promise<void> {
  const client = fileURLToPath(new URL('isolation-client.ts', import.meta.url));
  const child = spawn(process.execPath, [client, work, url, JSON.stringify(get.headers), String(ms)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  setPriority(child.pid as number, priority);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`isolation-client.ts ${work} ended with ${code}`);
}
