import type { Report, TableReport } from './report.ts';

/** The report for people. */
export function writeReport(report: Report): string {
  return [
    report.dry_run ? 'Dry run: nothing was changed. This is what an import would do.' : `Pass ${report.pass} is done.`,
    `Public key: ${report.public_key}.`,
    '',
    ...tableLines(report.tables),
    ...section(
      'Signed out',
      report.signed_out.map(
        ({ cause, people, logins }) =>
          `${count(people, 'person', 'people')} (${count(logins, 'login', 'logins')}): ${cause}`,
      ),
    ),
    ...(report.signed_out.length === 0 ? ['', 'Nobody is signed out.'] : []),
    ...section(
      'What does not come over',
      report.not_taken.map((one) => `${one.what}: ${one.count}; ${one.why}`),
    ),
    ...section('To know', report.notes),
    ...section('To decide', report.decisions),
  ].join('\n');
}

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  - ${line}`)];

function tableLines(tables: readonly TableReport[]): string[] {
  const head = ['table', 'read', 'taken', 'unchanged', 'updated', 'ended', 'left'];
  const rows = tables.map(({ table, read, taken, unchanged, updated, ended, left }) => [
    table,
    ...[read, taken, unchanged, updated, ended, Object.values(left).reduce((a, b) => a + b, 0)].map(String),
  ]);
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] as string).length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number)))
      .join('  ');
  const why = tables.flatMap(({ table, left }) =>
    Object.entries(left).map(([reason, n]) => `  ${table}: ${n} left, ${reason}`),
  );
  return [line(head), ...rows.map(line), ...why];
}
