import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

/** A statement whose rows are arrays. The types of node:sqlite know only rows that are objects. */
export interface ArrayStatement extends Pick<StatementSync, 'run' | 'columns'> {
  all<R = SQLOutputValue[]>(...values: SQLInputValue[]): R[];
  get(...values: SQLInputValue[]): SQLOutputValue[] | undefined;
  iterate<R = SQLOutputValue[]>(...values: SQLInputValue[]): Iterable<R>;
}

export function prepareArrays(file: DatabaseSync, sql: string): ArrayStatement {
  const statement = file.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as ArrayStatement;
}
