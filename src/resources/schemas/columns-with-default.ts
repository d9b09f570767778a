import { type Executor, readUnprepared } from '../sql/executor.ts';
import { quoted, raw, sql } from '../sql/sql-text.ts';
import type { TableSchema } from './storage-schema.ts';

/** A required column, and the default for rows that another version wrote without a value. */
export interface ColumnWithDefault {
  readonly table: string;
  readonly name: string;
  readonly value: unknown;
  readonly folded: string | undefined;
}

/** The columns with a constant default. A default that depends on the caller cannot be computed for existing rows. */
export function columnsWithDefault({ table, columns, indexes }: TableSchema): ColumnWithDefault[] {
  const isUnique = (name: string) =>
    Object.values(indexes).some((index) => index.unique && index.columns.includes(name));
  return Object.entries(columns).flatMap(([name, { default: value, required, unnamed, from }]) => {
    const applies = required && !unnamed && !from && value !== undefined && value !== null && !isUnique(name);
    const folded = columns[`${name}_folded`]?.from === name ? `${name}_folded` : undefined;
    return applies ? [{ table, name, value, folded }] : [];
  });
}

/** Whether a row lacks the default of a column. Reads every row of the tables with such columns. */
export async function lacksDefaults(executor: Executor, columns: readonly ColumnWithDefault[]): Promise<boolean> {
  for (const { table, name } of columns) {
    const rows = await readUnprepared(
      executor,
      sql`select 1 as one from ${raw(quoted(table))} where ${raw(quoted(name))} is null limit 1`,
    );
    if (rows.length > 0) return true;
  }
  return false;
}
