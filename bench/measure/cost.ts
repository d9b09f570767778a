import { driveStrictly } from './load.ts';
import { quantile } from './median.ts';
import { spentBy, spentSince } from './processor-time.ts';
import type { BenchRequest } from './request.ts';
import type { Load, Result } from './result.ts';
import type { ServerProcess } from './server-process.ts';

export interface Driven {
  readonly server: ServerProcess;
  readonly request: BenchRequest;
}

/** A load, and the processor time per request in microseconds. */
export interface Costed {
  readonly result: Result;
  /** The service with all of its workers. */
  readonly service: number;
  /** The processes of PostgreSQL. */
  readonly database: number;
}

/** Microseconds of processor time per request. */
export type Cost = Omit<Costed, 'result'>;

/** Drives services at the same time, each with its share of the connections. Their requests are added up. */
export async function driveCosted(driven: readonly Driven[], { connections, seconds }: Load): Promise<Costed> {
  const load = { seconds, connections: Math.max(1, Math.floor(connections / driven.length)) };
  const look = () => Promise.all(driven.map(({ server }) => spentBy(server)));
  const before = await look();
  const results = await Promise.all(driven.map(({ server, request }) => driveStrictly(server.url, request, load)));
  const after = await look();
  const result = results.reduce(together);
  // Processes that serve a whole PostgreSQL appear for each of its databases, but count once.
  const all = (looks: typeof before, of: 'service' | 'database') => new Map(looks.flatMap((each) => [...each[of]]));
  const perRequest = (of: 'service' | 'database') =>
    (spentSince(all(before, of), all(after, of)) * 1e6) / result.requests;
  return { result, service: perRequest('service'), database: perRequest('database') };
}

const together = (one: Result, other: Result): Result => ({
  requests: one.requests + other.requests,
  perSecond: one.perSecond + other.perSecond,
  p50: Math.max(one.p50, other.p50),
  p99: Math.max(one.p99, other.p99),
  failures: one.failures + other.failures,
});

/** The lower quartile: a disturbance only ever adds to the cost of a round. */
export const costOf = (rounds: readonly Costed[]): Cost => ({
  service: quantile(
    rounds.map(({ service }) => service),
    0.25,
  ),
  database: quantile(
    rounds.map(({ database }) => database),
    0.25,
  ),
});

export const totalOf = ({ service, database }: Cost): number => service + database;
