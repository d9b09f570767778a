import type { ChangesFigures } from '../changes.ts';
import type { Comparison, ServerFigures } from '../compare-operations.ts';
import type { Day } from '../day-of-sessions.ts';
import type { Flame } from '../flames.ts';
import type { IsolationFigures } from '../isolation.ts';
import { sharesOf } from '../measure/cpu-profile.ts';
import { ratioOf } from '../measure/median.ts';
import { commitsTable, enginesTable, growthTable, workersTable } from './cost-tables.ts';
import type { Report } from './report.ts';
import { number, table } from './table.ts';
import { targets } from './targets.ts';

export function textReport(report: Report): string {
  const parts = [`Gatehouse benchmark\n${report.machine}\nNode ${report.node}`];

  if (report.against ?? report.operations ?? report.engines ?? report.workers)
    parts.push(`Comparisons of servers, engines, workers and commits: ${report.load}`);
  if (report.against) parts.push(commitsTable(report.against.commit, report.against.figures));
  if (report.operations) parts.push(...operationTables(report.operations));
  if (report.engines) parts.push(enginesTable(report.engines));
  if (report.workers) parts.push(workersTable(report.workers));
  for (const figures of report.growth ?? []) parts.push(growthTable(figures));
  if (report.day) parts.push(dayTable(report.day));
  if (report.isolation) parts.push(isolationTable(report.isolation));
  if (report.changes) parts.push(changesTable(report.changes));
  if (report.flames) parts.push(flamesTable(report.flames));
  parts.push(...targetsTable(report));
  return `${parts.join('\n\n')}\n`;
}

function operationTables({
  starts: { empty, gatehouse: built },
  limits,
  limitsWithOptions,
  tokenLimits,
  gatehouse,
  peers,
}: Comparison): string[] {
  const all = [limits, limitsWithOptions, tokenLimits, ...gatehouse, ...peers];
  const ownFigures = gatehouse[0] as ServerFigures;
  const rows = Object.keys(ownFigures.operations).flatMap((operation) => {
    const ours = ownFigures.operations[operation];
    return all.flatMap((server) => {
      const result = server.operations[operation];
      if (!result || !ours) return [];
      const ratio = server === ownFigures || result.requests === 0 ? '' : ratioOf(ours, result).middle.toFixed(2);
      return [
        [
          operation,
          server.name,
          number(result.perSecond),
          number(result.p50),
          number(result.p99),
          String(result.failures),
          ratio,
        ],
      ];
    });
  });
  const starts = [...[empty, built].map((each) => ({ ...each, memoryUnderLoad: undefined })), ...all].map((server) => [
    server.name,
    `${server.coldStart.toFixed(0)} ms`,
    ...[server.memoryAtRest, server.memoryUnderLoad].map((mb) => (mb === undefined ? '' : `${mb.toFixed(0)} MB`)),
  ]);
  return [
    table([['operation', 'server', 'requests/s', 'p50 ms', 'p99 ms', 'failed', `${ownFigures.name} / this`], ...rows]),
    table([['server', 'cold start', 'at rest', 'after the load'], ...starts]),
  ];
}

function targetsTable(report: Report): string[] {
  const rows = targets(report).map(({ name, reached, spread = '', target, met }) => [
    name,
    reached,
    spread,
    target,
    met ? 'met' : 'MISSED',
  ]);
  return rows.length === 0 ? [] : [table([['figure', 'measured', 'interquartile range', 'target', ''], ...rows])];
}

/** The shares of the main thread's time. */
function flamesTable(all: readonly Flame[]): string {
  const shares = all.map(({ root }) => sharesOf(root));
  const areas = [...new Set(shares.flatMap((each) => Object.keys(each)))];
  return table([
    ['share of the time', ...all.map(({ operation }) => operation)],
    ['µs per request', ...all.map(({ perRequest }) => perRequest.toFixed(1))],
    ...areas.map((area) => [area, ...shares.map((each) => `${((each[area] ?? 0) * 100).toFixed(1)} %`)]),
  ]);
}

const dayTable = ({ hours }: Day): string =>
  table([
    ['hour', 'logins', 'refreshes', 'stored sessions', 'database MB', 'memory MB', 'refresh p99 ms'],
    ...hours.map((hour) => [
      String(hour.hour),
      String(hour.logins),
      String(hour.refreshes),
      String(hour.sessions),
      hour.databaseMb.toFixed(1),
      hour.memoryMb.toFixed(0),
      hour.p99.toFixed(1),
    ]),
  ]);

const changesTable = ({ costs }: ChangesFigures): string =>
  table([
    ['a write (create), µs of processor time', 'service', 'database', 'service with changes', 'database with changes'],
    ...costs.map(({ engine, plain, recorded }) => [
      engine,
      ...[plain.service, plain.database, recorded.service, recorded.database].map((micros) => micros.toFixed(0)),
    ]),
  ]);

const isolationTable = ({ atRest, during }: IsolationFigures): string =>
  table([
    ['authenticated GET', 'requests/s', 'p50 ms', 'p99 ms', 'p99 / at rest'],
    ...[{ name: 'at rest', ...atRest }, ...during].map(({ name, perSecond, p50, p99 }) => [
      name,
      number(perSecond),
      number(p50),
      number(p99),
      (p99 / atRest.p99).toFixed(2),
    ]),
  ]);
