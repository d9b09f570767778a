import { type Executor, readUnprepared } from '../sql/executor.ts';
import { type Fragment, or, quoted, raw, sql } from '../sql/sql-text.ts';
import type { TableSchema } from './storage-schema.ts';

/** A required column, and the default for rows that another version wrote without a value. */
export interface ColumnWithDefault {
  readonly table: string;
  readonly name: string;
  readonly value: unknown;
  readonly folded: string | undefined;
}

export const isUnique = ({ indexes }: Pick<TableSchema, 'indexes'>, name: string): boolean =>
  Object.values(indexes).some(({ unique, columns }) => unique && columns.includes(name));

/** The columns with a constant default. A default that depends on the caller cannot be computed for existing rows. */
export function columnsWithDefault({ table, columns, indexes }: TableSchema): ColumnWithDefault[] {
  return Object.entries(columns).flatMap(([name, { default: value, required, unnamed, from }]) => {
    const applies =
      required && !unnamed && !from && value !== undefined && value !== null && !isUnique({ indexes }, name);
    const folded = columns[`${name}_folded`]?.from === name ? `${name}_folded` : undefined;
    return applies ? [{ table, name, value, folded }] : [];
  });
}

/** A folded column and the column of its text. */
export interface FoldedColumn {
  readonly table: string;
  readonly name: string;
  readonly from: string;
}

export const foldedColumns = ({ table, columns }: TableSchema): FoldedColumn[] =>
  Object.entries(columns).flatMap(([name, { from, unnamed }]) => (from && !unnamed ? [{ table, name, from }] : []));

export const lacksDefault = ({ name }: ColumnWithDefault): Fragment => sql`${raw(quoted(name))} is null`;

/** Rows with a text but no folded text: a version with an earlier declaration of the field wrote them. */
export const isUnfolded = ({ name, from }: FoldedColumn): Fragment =>
  sql`${raw(quoted(from))} is not null and ${raw(quoted(name))} is null`;

/** Whether a row lacks a default or a folded text. If such a column has no index, reads every row of its table. */
export async function lacksValues(executor: Executor, schemas: readonly TableSchema[]): Promise<boolean> {
  for (const schema of schemas) {
    const conditions = [...columnsWithDefault(schema).map(lacksDefault), ...foldedColumns(schema).map(isUnfolded)];
    if (conditions.length === 0) continue;
    const table = raw(quoted(schema.table));
    const rows = await readUnprepared(executor, sql`select 1 as one from ${table} where ${or(conditions)} limit 1`);
    if (rows.length > 0) return true;
  }
  return false;
}

export const canLackValues = (schemas: readonly TableSchema[]): boolean =>
  schemas.some((schema) => columnsWithDefault(schema).length + foldedColumns(schema).length > 0);
