import type { ChangesFigures } from '../changes.ts';
import type { EngineFigures } from '../compare-engines.ts';
import type { Comparison, ServerFigures } from '../compare-operations.ts';
import type { GrowthFigures } from '../growth.ts';
import type { IsolationFigures } from '../isolation.ts';
import { totalOf } from '../measure/cost.ts';
import { type Ratio, ratioOf } from '../measure/median.ts';
import { growthOf } from './cost-tables.ts';
import type { Report } from './report.ts';

export interface Target {
  readonly name: string;
  readonly reached: string;
  /** The interquartile range, for figures that were measured in rounds. */
  readonly spread?: string;
  readonly asked: string;
  readonly met: boolean;
}

/** A target of Gatehouse, measured in the same run as the server that it is compared with. */
export const targets = ({ operations, engines = [], growth = [], isolation, changes }: Report): Target[] => [
  ...(operations ? ofOperations(operations) : []),
  ...engines.flatMap(ofEngines),
  ...growth.flatMap(ofGrowth),
  ...(isolation ? ofIsolation(isolation) : []),
  ...(changes ? ofChanges(changes) : []),
];

const atMost = (name: string, reached: number, most: number): Target => ({
  name,
  reached: reached.toFixed(2),
  asked: `≤ ${most}`,
  met: reached <= most,
});

const atLeast = (name: string, { middle, low, high }: Ratio, least: number): Target => ({
  name,
  reached: middle.toFixed(2),
  spread: `${low.toFixed(2)} to ${high.toFixed(2)}`,
  asked: `≥ ${least}`,
  met: middle >= least,
});

/** By rate, and by processor time, which other programs on the machine affect less. */
function ofGrowth({ engine, sizes, costs, processor }: GrowthFigures): Target[] {
  const [smallest, largest] = [sizes[0], sizes.at(-1)].map((size) => size?.toLocaleString('en'));
  const worst = (of: readonly (readonly number[])[]) => Math.max(...of.map(growthOf));
  const name = `${engine} at ${largest} / at ${smallest} rows, the worst of all operations`;
  const times = Object.values(processor).map((each) => each.map(totalOf));
  return [
    atMost(`time of a request on ${name}`, worst(Object.values(costs)), 1.5),
    // Without processor time from the system, there is nothing to compare.
    ...(times.some((each) => each.some((micros) => micros > 0))
      ? [atMost(`processor time on ${name}`, worst(times), 1.5)]
      : []),
  ];
}

const leastOnPostgres = new Map([
  ['get', 0.6],
  ['list', 0.5],
  ['client credentials', 0.6],
  ['refresh', 0.6],
]);

function ofEngines({ operation, sqlite, postgres, costs }: EngineFigures): Target[] {
  const least = leastOnPostgres.get(operation);
  if (least === undefined) return [];
  const byTime = totalOf(costs.sqlite) / totalOf(costs.postgres);
  const name = `${operation} on PostgreSQL / on SQLite`;
  return [
    atLeast(name, ratioOf(postgres, sqlite), least),
    ...(Number.isFinite(byTime)
      ? [{ name: `${name}, by processor time`, reached: byTime.toFixed(2), asked: `≥ ${least}`, met: byTime >= least }]
      : []),
  ];
}

const ofIsolation = ({ atRest, during }: IsolationFigures): Target[] =>
  ['logins', 'searches'].map((work) =>
    atMost(
      `p99 of the GET during a storm of ${work} / at rest`,
      (during.find(({ name }) => name.startsWith(`while ${work}`))?.p99 ?? 0) / atRest.p99,
      3,
    ),
  );

function ofChanges({ idle, fanOut, sustained, costs }: ChangesFigures): Target[] {
  const many = (count: number) => count.toLocaleString('en');
  const list = [atMost(`seconds until ${many(fanOut.subscribers)} subscribers have a change`, fanOut.ms / 1000, 1)];
  if (idle.memoryMb !== undefined) list.push(atMost(`MB with ${many(idle.streams)} idle streams`, idle.memoryMb, 500));
  for (const [of, by] of [
    ['byApi', 'the API'],
    ['bySql', 'SQL'],
  ] as const) {
    if (!sustained) break;
    const { rowsPerSecond, lateMs } = sustained[of];
    const reached = `${Math.round(rowsPerSecond)}`;
    const name = `rows written a second on PostgreSQL by ${by}, with a subscriber`;
    list.push({ name, reached, asked: '≥ 2000', met: rowsPerSecond >= 2000 });
    list.push(atMost('seconds until this subscriber has the last row', lateMs / 1000, 1));
  }
  for (const { engine, plain, recorded } of costs) {
    const ratio = totalOf(recorded) / totalOf(plain);
    // Without processor time from the system, there is nothing to compare.
    if (Number.isFinite(ratio))
      list.push(atMost(`processor time of a write with changes / without, ${engine}`, ratio, 1.2));
  }
  return list;
}

function ofOperations({ limits, gatehouse, peers }: Comparison): Target[] {
  const own = gatehouse[0] as ServerFigures;
  const list: Target[] = [];
  const beside = (name: string, operation: string, share: number) => {
    const mine = own.operations[operation];
    const most = limits.operations[operation];
    if (mine && most && most.requests > 0) list.push(atLeast(name, ratioOf(mine, most), share));
  };
  const ahead = (operation: string, factor: number) => {
    const mine = own.operations[operation];
    const theirs = peers.flatMap((peer) => peer.operations[operation] ?? []).filter(({ requests }) => requests > 0);
    if (!mine || theirs.length === 0) return;
    const closest = theirs.map((peer) => ratioOf(mine, peer)).reduce((a, b) => (b.middle < a.middle ? b : a));
    list.push(atLeast(`${operation} / best peer`, closest, factor));
  };
  beside('GET by id / node:http with the query', 'get', 0.8);
  beside('304 / the limit of the GET', 'not modified', 0.8);
  beside('list of 10 with the count / node:http with the queries', 'list', 0.8);
  beside('page of 100 with an include / node:http with the queries', 'page with include', 0.5);
  beside('client credentials / signed and synced one by one', 'client credentials', 1.2);
  beside('refresh / signed and synced one by one', 'refresh', 1.2);
  beside('password / bare argon2id', 'password', 0.97);
  for (const operation of ['client credentials', 'refresh', 'get']) ahead(operation, 1);
  ahead('introspection', 2);
  list.push({
    name: 'cold start',
    reached: `${own.coldStart.toFixed(0)} ms`,
    asked: '< 500 ms',
    met: own.coldStart < 500,
  });
  if (own.memoryAtRest !== undefined) {
    list.push({
      name: 'memory at rest',
      reached: `${own.memoryAtRest.toFixed(0)} MB`,
      asked: '< 120 MB',
      met: own.memoryAtRest < 120,
    });
  }
  return list;
}
