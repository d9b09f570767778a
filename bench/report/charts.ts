import type { Comparison, ServerFigures } from '../compare-operations.ts';
import { bars } from './bar-chart.ts';
import { flameGraph } from './flame-graph.ts';
import { lines } from './line-chart.ts';
import type { Report } from './report.ts';

/** The names and SVG texts of the charts of a report. */
export function charts(report: Report): [string, string][] {
  const made: [string, string][] = [];
  if (report.operations) {
    made.push(['tokens', comparison('Tokens', report.operations, ['client credentials', 'refresh', 'introspection'])]);
    made.push(['reads', comparison('Reads', report.operations, ['get', 'not modified', 'list', 'search'])]);
  }
  for (const { engine, sizes, costs } of report.growth ?? []) {
    const series = Object.entries(costs).map(([name, values]) => ({
      name,
      values: values.map((value) => value / (values[0] as number)),
    }));
    const labels = sizes.map((size) => size.toLocaleString('en'));
    made.push([
      `growth-${engine}`,
      lines(`Cost of a request as tables grow (${engine}; 1 = at ${labels[0]} rows)`, labels, series),
    ]);
  }
  if (report.day) {
    const { hours } = report.day;
    const first = hours[Math.min(4, hours.length - 1)];
    const relative = (name: string, of: (hour: (typeof hours)[number]) => number) => ({
      name,
      values: hours.map((hour) => (first && of(first) > 0 ? of(hour) / of(first) : 0)),
    });
    made.push([
      'day',
      lines(
        'A day of sessions (1 = hour 5, when the first sessions expire)',
        hours.map(({ hour }) => String(hour)),
        [
          relative('stored sessions', ({ sessions }) => sessions),
          relative('database size', ({ databaseMb }) => databaseMb),
          relative('memory', ({ memoryMb }) => memoryMb),
          relative('refresh p99', ({ p99 }) => p99),
        ],
      ),
    ]);
  }
  for (const { operation, root } of report.flames ?? []) {
    made.push([`flame-${operation.replaceAll(' ', '-')}`, flameGraph(`Where "${operation}" spends its time`, root)]);
  }
  return made;
}

function comparison(title: string, { limits, gatehouse, peers }: Comparison, operations: readonly string[]): string {
  const own = gatehouse[0] as ServerFigures;
  const servers = [own, limits, ...peers];
  return bars(
    `${title}: requests a second`,
    operations.map((operation) => ({
      name: operation,
      bars: servers.flatMap((server) => {
        const rate = server.operations[operation]?.perSecond;
        return rate === undefined ? [] : [{ name: server.name, value: rate, own: server === own }];
      }),
    })),
  );
}
