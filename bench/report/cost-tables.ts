import type { CommitFigures } from '../compare-commits.ts';
import type { EngineFigures } from '../compare-engines.ts';
import type { WorkersFigures } from '../compare-workers.ts';
import type { GrowthFigures } from '../growth.ts';
import { type Cost, totalOf } from '../measure/cost.ts';
import { type Ratio, ratioOf } from '../measure/median.ts';
import { number, table } from './table.ts';

const quartilesOf = ({ low, high }: Ratio): string => `${low.toFixed(2)} to ${high.toFixed(2)}`;
/** The processor time of PostgreSQL follows after a plus, if there is any. */
const micros = ({ service, database }: Cost): string =>
  database === 0 ? number(service) : `${number(service)} + ${number(database)}`;

/** Includes processor time, because a noisy machine affects it least. */
export function enginesTable(figures: readonly EngineFigures[]): string {
  const head = ['engines', 'SQLite/s', 'PostgreSQL/s', 'ratio', 'interquartile range'];
  const rows = figures.map(({ operation, sqlite, postgres, costs }) => {
    const ratio = ratioOf(postgres, sqlite);
    return [
      operation,
      number(sqlite.perSecond),
      number(postgres.perSecond),
      ratio.middle.toFixed(2),
      quartilesOf(ratio),
      micros(costs.sqlite),
      micros(costs.postgres),
      (totalOf(costs.sqlite) / totalOf(costs.postgres)).toFixed(2),
    ];
  });
  return `PostgreSQL compared with SQLite (µs of processor time per request: of the service + of PostgreSQL)\n${table([
    [...head, 'µs SQLite', 'µs PostgreSQL', 'ratio of µs'],
    ...rows,
  ])}`;
}

/** More than 1: this checkout is faster, or uses less processor time. */
export function commitsTable(commit: string, figures: readonly CommitFigures[]): string {
  const head = [
    'operation',
    'this/s',
    `${commit}/s`,
    'ratio',
    'interquartile range',
    'µs this',
    `µs ${commit}`,
    'ratio of µs',
  ];
  const rows = figures.map(({ operation, here, there, costs }) => {
    const ratio = ratioOf(here, there);
    return [
      operation,
      number(here.perSecond),
      number(there.perSecond),
      ratio.middle.toFixed(2),
      quartilesOf(ratio),
      micros(costs.here),
      micros(costs.there),
      (totalOf(costs.there) / totalOf(costs.here)).toFixed(2),
    ];
  });
  return `This checkout compared with ${commit}, on SQLite (µs of processor time per request)\n${table([head, ...rows])}`;
}

export function workersTable(figures: readonly WorkersFigures[]): string {
  const head = ['workers', 'engine', 'one: req/s', 'workers: req/s', 'gain', 'interquartile range', 'gain of separate'];
  const rows = figures.map(({ workers, operation, engine, growth, growthApart, one, all, costs }) => [
    `${operation}, ${workers}`,
    engine,
    number(one.perSecond),
    number(all.perSecond),
    growth.middle.toFixed(2),
    quartilesOf(growth),
    growthApart.middle.toFixed(2),
    micros(costs.one),
    micros(costs.workers),
    micros(costs.apart),
  ]);
  return `Several workers compared with one process, and with as many separate services (µs of processor time per request)\n${table(
    [[...head, 'µs one', 'µs workers', 'µs separate'], ...rows],
  )}`;
}

export function growthTable({ engine, sizes, costs, processor }: GrowthFigures): string {
  const names = sizes.map((size) => size.toLocaleString('en'));
  const head = [`growth (${engine})`, ...names.map((name) => `ms at ${name}`), 'last / first'];
  const rows = Object.entries(costs).map(([operation, ms]) => {
    const spent = processor[operation] ?? [];
    return [
      operation,
      ...ms.map((value) => value.toFixed(3)),
      growthOf(ms).toFixed(2),
      ...spent.map(micros),
      growthOf(spent.map(totalOf)).toFixed(2),
    ];
  });
  return `The best of the rounds, with 8 connections (µs of processor time per request)\n${table([[...head, ...names.map((name) => `µs at ${name}`), 'last / first'], ...rows])}`;
}

export const growthOf = (costs: readonly number[]): number => (costs.at(-1) ?? 0) / (costs[0] ?? 1);
