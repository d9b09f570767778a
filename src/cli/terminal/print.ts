/** The date and time as an operator reads and sorts it. */
export const showTime = (ms: number | null): string => (ms === null ? '' : new Date(ms).toISOString());

/** Rows as JSON for a program, or as aligned columns for a person. */
export function printRows(rows: readonly Readonly<Record<string, unknown>>[], asJson: boolean | undefined): void {
  if (asJson) console.log(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) console.log('(none)');
  else printTable(rows);
}

/** One thing, a field a line. */
export function printFields(fields: Readonly<Record<string, unknown>>, asJson: boolean | undefined): void {
  if (asJson) {
    console.log(JSON.stringify(fields, null, 2));
    return;
  }
  const width = Math.max(...Object.keys(fields).map(({ length }) => length));
  for (const [name, value] of Object.entries(fields)) console.log(`${name.padEnd(width)}  ${show(value)}`.trimEnd());
}

function printTable(rows: readonly Readonly<Record<string, unknown>>[]): void {
  const names = Object.keys(rows[0] as object);
  const cells = [names, ...rows.map((row) => names.map((name) => show(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  for (const line of cells) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join('  ')
        .trimEnd(),
    );
  }
}

const show = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return printable(Array.isArray(value) ? value.join(' ') : String(value));
};

/** Names are whatever people chose: what moves a cursor, ends a line or turns the writing around is shown, not done. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
