/** Spreadsheets interpret a cell with one of these first characters as a formula, some of them also in full width. */
const looksLikeFormula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** Formats a value as a CSV cell: lists and objects as JSON, null as empty. An apostrophe before a formula makes it a text. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = looksLikeFormula.test(plain) && !isNumber(plain) ? `'${plain}` : plain;
  // Always quoted, because some spreadsheets separate cells by semicolons.
  return `"${text.replaceAll('"', '""')}"`;
}

export const csvLine = (values: readonly unknown[]): string => `${values.map(cellOf).join(',')}\r\n`;

/** Removes the apostrophe that `csvLine` writes before a formula. */
export const plainCell = (cell: string): string => (/^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell);

/** Starts the download of a file. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
