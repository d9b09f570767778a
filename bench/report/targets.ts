import type { ChangesFigures } from '../changes.ts';
import type { EngineFigures } from '../compare-engines.ts';
import type { Comparison, ServerFigures } from '../compare-operations.ts';
import type { GrowthFigures } from '../growth.ts';
import { control, type IsolationFigures } from '../isolation.ts';
import { totalOf } from '../measure/cost.ts';
import { type Measured, type Ratio, ratioOf } from '../measure/median.ts';
import { growthOf } from './cost-tables.ts';
import type { Report } from './report.ts';

export interface Target {
  readonly name: string;
  readonly reached: string;
  /** The interquartile range, for figures that were measured in rounds. */
  readonly spread?: string;
  readonly target: string;
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

const atMost = (name: string, reached: number, limit: number): Target => ({
  name,
  reached: reached.toFixed(2),
  target: `≤ ${limit}`,
  met: reached <= limit,
});

const atLeast = (name: string, { middle, low, high }: Ratio, minimum: number): Target => ({
  name,
  reached: middle.toFixed(2),
  spread: `${low.toFixed(2)} to ${high.toFixed(2)}`,
  target: `≥ ${minimum}`,
  met: middle >= minimum,
});

/** A failure may take less time than a success. */
const withoutFailures = ({ failures }: Measured, target: Target): Target =>
  failures === 0 ? target : { ...target, spread: `${failures} failed`, met: false };

/** By rate, and by processor time, which other programs on the machine affect less. */
function ofGrowth({ engine, sizes, costs, processor }: GrowthFigures): Target[] {
  const [smallest, largest] = [sizes[0], sizes.at(-1)].map((size) => size?.toLocaleString('en'));
  const worst = (of: readonly (readonly number[])[]) => Math.max(...of.map(growthOf));
  if (Object.keys(costs).length === 0) return [];
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

const minimumOnPostgres = new Map([
  ['get', 0.6],
  ['list', 0.5],
  ['client credentials', 0.6],
  ['refresh', 0.6],
]);

function ofEngines({ operation, sqlite, postgres, costs }: EngineFigures): Target[] {
  const minimum = minimumOnPostgres.get(operation);
  if (minimum === undefined) return [];
  const byTime = totalOf(costs.sqlite) / totalOf(costs.postgres);
  const name = `${operation} on PostgreSQL / on SQLite`;
  return [
    atLeast(name, ratioOf(postgres, sqlite), minimum),
    ...(Number.isFinite(byTime)
      ? [
          {
            name: `${name}, by processor time`,
            reached: byTime.toFixed(2),
            target: `≥ ${minimum}`,
            met: byTime >= minimum,
          },
        ]
      : []),
  ];
}

const ofIsolation = ({ atRest, during }: IsolationFigures): Target[] =>
  during
    .filter(({ name }) => name !== control)
    .map(({ name, p99 }) => atMost(`p99 of the GET ${name} / without other work`, p99 / atRest.p99, 2));

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
    const name = `rows written per second on PostgreSQL by ${by}, with a subscriber`;
    list.push({ name, reached, target: '≥ 2000', met: rowsPerSecond >= 2000 });
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

function ofOperations({ starts, limits, gatehouse, peers }: Comparison): Target[] {
  const gatehouseFigures = gatehouse[0] as ServerFigures;
  const list: Target[] = [];
  const compareWithLimit = (name: string, operation: string, share: number) => {
    const ours = gatehouseFigures.operations[operation];
    const limit = limits.operations[operation];
    if (ours && limit && limit.requests > 0)
      list.push(withoutFailures(ours, atLeast(name, ratioOf(ours, limit), share)));
  };
  const compareWithPeers = (operation: string, factor: number) => {
    const ours = gatehouseFigures.operations[operation];
    const theirs = peers.flatMap((peer) => peer.operations[operation] ?? []).filter(({ requests }) => requests > 0);
    if (!ours || theirs.length === 0) return;
    const closest = theirs.map((peer) => ratioOf(ours, peer)).reduce((a, b) => (b.middle < a.middle ? b : a));
    list.push(withoutFailures(ours, atLeast(`${operation} / best peer`, closest, factor)));
  };
  compareWithLimit('GET by id / node:http with the query', 'get', 0.9);
  compareWithLimit('GET by id, cycling through 2,000 ids / the same limit', 'get any', 0.8);
  compareWithLimit('304 / the limit of the GET', 'not modified', 0.8);
  compareWithLimit('list of 10 with the count / node:http with the queries', 'list', 1);
  compareWithLimit('page of 100 with an include / node:http with the queries', 'page with include', 0.5);
  compareWithLimit('client credentials / signed and synced one by one', 'client credentials', 1.5);
  compareWithLimit('refresh / signed and synced one by one', 'refresh', 1.5);
  compareWithLimit('password / bare argon2id', 'password', 0.97);
  compareWithPeers('get', 2);
  for (const operation of ['client credentials', 'refresh']) compareWithPeers(operation, 1.2);
  compareWithPeers('introspection', 3);
  list.push({
    name: 'cold start',
    reached: `${starts.gatehouse.coldStart.toFixed(0)} ms`,
    target: '< 500 ms',
    met: starts.gatehouse.coldStart < 500,
  });
  const { memoryAtRest } = starts.gatehouse;
  if (memoryAtRest !== undefined) {
    list.push({
      name: 'memory at rest',
      reached: `${memoryAtRest.toFixed(0)} MB`,
      target: '< 100 MB',
      met: memoryAtRest < 100,
    });
  }
  return list;
}
