import { fileURLToPath } from 'node:url';
import type { Engine } from '../src/database/database.ts';
import type { Plan } from './compare-operations.ts';
import { writeCarsUntil } from './gatehouse/run-sql.ts';
import { type PreparedGatehouse, prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { type Cost, type Costed, costOf, driveCosted } from './measure/cost.ts';
import { median } from './measure/median.ts';
import { type OpenStreams, openStreams } from './measure/open-streams.ts';
import { type BenchRequest, checkOnce } from './measure/request.ts';
import type { ServerProcess } from './measure/server-process.ts';

export interface ChangesFigures {
  /** Idle streams, and the memory of the service with them. */
  readonly idle: { readonly streams: number; readonly memoryMb: number | undefined };
  /** Milliseconds from a write until its last subscriber has it: the median of several writes. */
  readonly fanOut: { readonly subscribers: number; readonly ms: number };
  /** On PostgreSQL, with one subscriber. */
  readonly sustained?: { readonly byApi: Sustained; readonly bySql: Sustained };
  /** The cost of a write, without and with changes. */
  readonly costs: readonly { readonly engine: Engine; readonly plain: Cost; readonly recorded: Cost }[];
}

export interface Sustained {
  readonly rowsPerSecond: number;
  /** The time from the last write until the subscriber has received all of them. */
  readonly lateMs: number;
}

/** The same cars, with `changes`. */
const RESOURCES_DIR = fileURLToPath(new URL('gatehouse/followed', import.meta.url));
const following = { RESOURCES_DIR, STREAMS_PER_CALLER: '20000' };
/** A caller sends one batch at a time. */
const rowsOfBatch = 100;

export async function measureChanges(plan: Plan, postgresUrl: string | undefined): Promise<ChangesFigures> {
  const engines: readonly Engine[] = postgresUrl ? ['sqlite', 'postgres'] : ['sqlite'];
  const costs: ChangesFigures['costs'][number][] = [];
  const figures: Pick<Partial<ChangesFigures>, 'idle' | 'fanOut' | 'sustained'> & object = {};
  for (const engine of engines) {
    const prepared: PreparedGatehouse[] = [];
    const servers: ServerProcess[] = [];
    try {
      for (const more of [{}, following]) {
        const made = await prepareGatehouse(engine, { cars: 100 }, postgresUrl);
        prepared.push(made);
        servers.push(await made.start([], more));
      }
      const [plain, recorded] = servers as [ServerProcess, ServerProcess];
      costs.push({ engine, ...(await compareCosts(plain, recorded, plan)) });
      console.log(`measured a write with changes on ${engine}`);
      if (engine === 'sqlite') Object.assign(figures, await measureStreams(recorded, plan));
      else {
        const { databaseUrl } = prepared[1] as PreparedGatehouse;
        const byApi = await sustain(recorded, plan, (until) => writeBatchesUntil(recorded, until));
        const bySql = await sustain(recorded, plan, (until) => writeCarsUntil(databaseUrl, until));
        Object.assign(figures, { sustained: { byApi, bySql } });
      }
    } finally {
      for (const server of servers) await server.stop();
      for (const made of prepared) made.remove();
    }
  }
  return { ...(figures as Pick<ChangesFigures, 'idle' | 'fanOut'>), costs };
}

async function compareCosts(plain: ServerProcess, recorded: ServerProcess, { rounds, ...load }: Plan) {
  const measured: [Costed[], Costed[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    for (const [i, server] of [plain, recorded].entries()) {
      const request = server.operations.create as BenchRequest;
      if (round === 0) await checkOnce(server.url, `${server.name}: create`, request);
      const costed = await driveCosted([{ server, request }], load);
      // The first round only warms up.
      if (round > 0) measured[i as 0 | 1].push(costed);
    }
  }
  return { plain: costOf(measured[0]), recorded: costOf(measured[1]) };
}

const follow = (server: ServerProcess, count: number): Promise<OpenStreams> =>
  openStreams(`${server.url}/v1/changes?resources=cars`, (server.operations.get as BenchRequest).headers, count);

async function measureStreams(server: ServerProcess, { quick }: Plan) {
  const [streams, subscribers] = quick ? [100, 10] : [10_000, 1000];
  const idle = await follow(server, streams);
  const memoryMb = server.memory();
  idle.close();
  console.log(`measured ${streams} idle streams`);
  const followers = await follow(server, subscribers);
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const all = followers.received((round + 1) * subscribers);
    const begun = performance.now();
    await write(server, 1);
    await all;
    times.push(performance.now() - begun);
  }
  followers.close();
  return { idle: { streams, memoryMb }, fanOut: { subscribers, ms: median(times) } };
}

/** Writes as quickly as possible. `write` returns the number of rows that it wrote. */
async function sustain(
  server: ServerProcess,
  { quick }: Plan,
  write: (until: number) => Promise<number>,
): Promise<Sustained> {
  const subscriber = await follow(server, 1);
  const begun = performance.now();
  const rows = await write(begun + (quick ? 1000 : 8000));
  const ended = performance.now();
  await subscriber.received(rows);
  const lateMs = performance.now() - ended;
  subscriber.close();
  return { rowsPerSecond: (rows * 1000) / (ended - begun), lateMs };
}

async function writeBatchesUntil(server: ServerProcess, until: number): Promise<number> {
  let rows = 0;
  for (; performance.now() < until; rows += rowsOfBatch) await write(server, rowsOfBatch);
  return rows;
}

async function write(server: ServerProcess, count: number): Promise<void> {
  const { headers, body } = server.operations.create as BenchRequest;
  const rows = Array.from({ length: count }, () => JSON.parse(body as string));
  const response = await fetch(`${server.url}/v1/cars/batches`, {
    method: 'POST',
    headers: headers ?? {},
    body: JSON.stringify({ rows }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`a batch got the status ${response.status}: ${text}`);
}
