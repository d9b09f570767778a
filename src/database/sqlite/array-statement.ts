import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

/** A statement whose rows are arrays. The types of node:sqlite know only rows that are objects. */
export interface ArrayStatement extends Pick<StatementSync, 'run' | 'columns'> {
  all(...values: SQLInputValue[]): SQLOutputValue[][];
  get(...values: SQLInputValue[]): SQLOutputValue[] | undefined;
  iterate(...values: SQLInputValue[]): Iterable<SQLOutputValue[]>;
}

export function prepareArrays(file: DatabaseSync, sql: string): ArrayStatement {
  const statement = file.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as ArrayStatement;
}
