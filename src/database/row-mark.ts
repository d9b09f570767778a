/**
 * Stands first in each WHERE that may walk over more rows than it returns. PostgreSQL reads it as a comment. SQLite gets
 * a call in its place, which counts the row and can end the read: node:sqlite has no way to interrupt a statement.
 */
export const rowMark = '/*row*/';

/** The same inside of rules and by keys, where there are few rows as a rule: it makes no read count as expensive. */
export const innerRowMark = '/*inner row*/';

/** The function that SQLite calls for each row. */
export const rowFunction = 'row_walked';

const call = `${rowFunction}() and`;

export const countedRows = (sql: string): string =>
  sql.includes('row*/') ? sql.replaceAll(rowMark, call).replaceAll(innerRowMark, call) : sql;
