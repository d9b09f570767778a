/** Spreadsheets take a cell that begins so for a formula, some of them in full width too. */
const looksLikeFormula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** A value as a CSV cell: lists and objects as JSON, null as nothing. An apostrophe before a formula makes it a text. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = looksLikeFormula.test(plain) && !isNumber(plain) ? `'${plain}` : plain;
  // Always in quotes: in some countries a semicolon ends a cell.
  return `"${text.replaceAll('"', '""')}"`;
}

export const csvLine = (values: readonly unknown[]): string => `${values.map(cellOf).join(',')}\r\n`;

/** Removes the apostrophe that `csvLine` writes before a formula. */
export const plainCell = (cell: string): string => (/^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell);
