/**
 * Stands first in each WHERE that may walk over more rows than it returns. PostgreSQL reads it as a comment. SQLite gets
 * a call in its place, which counts the row and can end the read: node:sqlite has no way to interrupt a statement.
 */
export const rowMark = '/*row*/';

/** The same inside of rules and by keys, where there are few rows as a rule: it makes no read count as expensive. */
export const innerRowMark = '/*inner row*/';

/** Stands before a search through a text that may be long: one row may take as long as thousands of others. */
export const longTextMark = '/*long row*/';

/** The function that SQLite calls for each row, with the rows that it counts as. */
export const rowFunction = 'row_walked';

const calls = new Map([
  [rowMark, `${rowFunction}(1) and`],
  [innerRowMark, `${rowFunction}(1) and`],
  [longTextMark, `${rowFunction}(10000) and`],
]);

export const countedRows = (sql: string): string =>
  sql.includes('row*/') ? sql.replace(/\/\*(?:inner |long )?row\*\//g, (mark) => calls.get(mark) as string) : sql;
