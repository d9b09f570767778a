import type { Comparison, ServerFigures } from '../compare-operations.ts';
import type { GrowthFigures } from '../growth.ts';
import type { IsolationFigures } from '../isolation.ts';
import { type Ratio, ratioOf } from '../measure/median.ts';
import type { Report } from './text-report.ts';

export interface Target {
  readonly name: string;
  readonly reached: string;
  /** Where half of the rounds lie, for what was measured in rounds. */
  readonly spread?: string;
  readonly asked: string;
  readonly met: boolean;
}

/** What Gatehouse must reach on SQLite, in the same run as what it is compared with. */
export const targets = ({ operations, growth = [], isolation }: Report): Target[] => [
  ...(operations ? ofOperations(operations) : []),
  ...growth.filter(({ engine }) => engine === 'sqlite').map(ofGrowth),
  ...(isolation ? ofIsolation(isolation) : []),
];

const atMost = (name: string, reached: number, most: number): Target => ({
  name,
  reached: reached.toFixed(2),
  asked: `≤ ${most}`,
  met: reached <= most,
});

function ofGrowth({ sizes, costs }: GrowthFigures): Target {
  const ratios = Object.values(costs).map((ms) => (ms.at(-1) ?? 0) / (ms[0] ?? 1));
  const [smallest, largest] = [sizes[0], sizes.at(-1)].map((size) => size?.toLocaleString('en'));
  return atMost(`cost at ${largest} / at ${smallest} rows, the worst of all operations`, Math.max(...ratios), 1.5);
}

const ofIsolation = ({ atRest, during }: IsolationFigures): Target[] =>
  ['logins', 'searches'].map((storm) =>
    atMost(
      `p99 of the GET during a storm of ${storm} / at rest`,
      (during.find(({ name }) => name.startsWith(`while ${storm}`))?.p99 ?? 0) / atRest.p99,
      3,
    ),
  );

function ofOperations({ limits, gatehouse, peers }: Comparison): Target[] {
  const own = gatehouse[0] as ServerFigures;
  const list: Target[] = [];
  const judge = (name: string, { middle, low, high }: Ratio, least: number) =>
    list.push({
      name,
      reached: middle.toFixed(2),
      spread: `${low.toFixed(2)} to ${high.toFixed(2)}`,
      asked: `≥ ${least}`,
      met: middle >= least,
    });
  const atLeast = (name: string, operation: string, share: number) => {
    const mine = own.operations[operation];
    const most = limits.operations[operation];
    if (mine && most && most.requests > 0) judge(name, ratioOf(mine, most), share);
  };
  const ahead = (operation: string, factor: number) => {
    const mine = own.operations[operation];
    const theirs = peers.flatMap((peer) => peer.operations[operation] ?? []).filter(({ requests }) => requests > 0);
    if (!mine || theirs.length === 0) return;
    const closest = theirs.map((peer) => ratioOf(mine, peer)).reduce((a, b) => (b.middle < a.middle ? b : a));
    judge(`${operation} / best peer`, closest, factor);
  };
  atLeast('GET by id / node:http with the query', 'get', 0.8);
  atLeast('304 / the limit of the GET', 'not modified', 0.8);
  atLeast('list of 10 with the count / node:http with the queries', 'list', 0.8);
  atLeast('page of 100 with an include / node:http with the queries', 'page with include', 0.5);
  atLeast('client credentials / signed and synced one by one', 'client credentials', 1.2);
  atLeast('refresh / signed and synced one by one', 'refresh', 1.2);
  atLeast('password / bare argon2id', 'password', 0.97);
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
