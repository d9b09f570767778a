/**
 * The first condition of each WHERE that may scan more rows than it returns. PostgreSQL ignores the comment. For SQLite it becomes a
 * function call that counts rows and can abort the read, because node:sqlite cannot interrupt a statement.
 */
export const rowMark = '/*row*/';

/** The same for rules and reads by key, which usually match few rows. */
export const innerRowMark = '/*inner row*/';

/** For a search in a text that may be long: one row may take as long as thousands of short ones. */
export const longTextMark = '/*long row*/';

export const rowFunction = 'row_walked';

const callByMark = new Map([
  [rowMark, `${rowFunction}(1) and`],
  [innerRowMark, `${rowFunction}(1) and`],
  [longTextMark, `${rowFunction}(10000) and`],
]);

export const replaceRowMarks = (sql: string): string =>
  sql.includes('row*/') ? sql.replace(/\/\*(?:inner |long )?row\*\//g, (mark) => callByMark.get(mark) as string) : sql;
