export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** SQL for a row as a JSON object. `columns` are split into several objects, because SQL functions take a limited number of arguments. */
export function jsonOfRow(
  buildObject: (members: string) => string,
  row: 'old' | 'new',
  columns: readonly string[],
  maxColumnsPerObject: number,
): string {
  const objects: string[] = [];
  for (let from = 0; from < columns.length; from += maxColumnsPerObject) {
    const part = columns
      .slice(from, from + maxColumnsPerObject)
      .map((column) => `${literal(column)}, ${row}."${column}"`);
    objects.push(buildObject(part.join(', ')));
  }
  return objects.reduce((all, next) => `rtrim(${all}, '}') || ',' || substr(${next}, 2)`);
}

export interface RecordedTable {
  readonly resource: string;
  readonly table: string;
  /** The recorded columns of a row. A write that changes none of them is not recorded. */
  readonly columns: readonly string[];
  readonly versioned: boolean;
  /** A row is recorded only if this column is not null. */
  readonly requiredColumn?: string | undefined;
}
