/** Spreadsheets take a cell that begins like this for a formula. */
const looksLikeFormula = /^'*[=+\-@\t\r]/;
const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** A value as a CSV cell: lists and objects as JSON, null as nothing. An apostrophe before a formula makes it a text. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = looksLikeFormula.test(plain) && !isNumber(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvLine = (values: readonly unknown[]): string => `${values.map(cellOf).join(',')}\r\n`;

/** Removes the apostrophe that `csvLine` writes before a formula. */
export const plainCell = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
