/** Spreadsheets take a cell that begins so for a formula, some of them in full width too. */
const looksLikeFormula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const isMarked = /^'+[=+\-@\t\r\n＝＋－＠]/;
const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** A value as a cell: lists and objects as JSON, null as nothing. A formula is marked by an apostrophe, which reading takes away. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = looksLikeFormula.test(plain) && !isNumber(plain) ? `'${plain}` : plain;
  // Always in quotes: in some countries a semicolon ends a cell.
  return `"${text.replaceAll('"', '""')}"`;
}

export const csvLine = (values: readonly unknown[]): string => `${values.map(cellOf).join(',')}\r\n`;

/** Reads RFC 4180 as it arrives, piece by piece; a record may end in the next piece. */
export class CsvReader {
  #cell = '';
  #record: string[] = [];
  #isQuoted = false;
  /** After a quote within quotes: the end of the cell, or a quote that was doubled. */
  #mayEnd = false;
  #isFirst = true;

  *read(piece: string, isLast = false): Generator<string[]> {
    let text = piece;
    if (this.#isFirst && text.startsWith('\ufeff')) text = text.slice(1);
    if (text !== '') this.#isFirst = false;
    for (const char of text) {
      if (this.#isQuoted && !this.#mayEnd) {
        if (char === '"') this.#mayEnd = true;
        else this.#cell += char;
      } else if (this.#mayEnd && char === '"') {
        this.#cell += '"';
        this.#mayEnd = false;
      } else {
        if (this.#mayEnd) this.#isQuoted = this.#mayEnd = false;
        if (char === '"' && this.#cell === '') this.#isQuoted = true;
        else if (char === ',') this.#endCell();
        else if (char === '\n') yield* this.#endRecord();
        else if (char !== '\r') this.#cell += char;
      }
    }
    if (isLast) yield* this.#endRecord();
  }

  #endCell(): void {
    this.#record.push(isMarked.test(this.#cell) ? this.#cell.slice(1) : this.#cell);
    this.#cell = '';
    this.#isQuoted = this.#mayEnd = false;
  }

  *#endRecord(): Generator<string[]> {
    this.#endCell();
    const record = this.#record;
    this.#record = [];
    if (record.length > 1 || record[0] !== '') yield record;
  }
}
