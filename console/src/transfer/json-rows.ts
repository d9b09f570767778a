/**
 * Reads objects out of JSON as it arrives: a list, a list within an object (`{"data": […]}`), or one object a line. Each
 * is parsed alone, so that a file of any size fits.
 */
export class JsonRowReader {
  #text = '';
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** Around the rows: the depth at which an object is one. */
  #rowDepth: number | undefined;

  *read(piece: string): Generator<Record<string, unknown>> {
    for (const char of piece) {
      if (this.#isRow) this.#text += char;
      if (this.#inString) this.#goThroughString(char);
      else if (char === '"') this.#inString = true;
      else if (char === '{' || char === '[') this.#open(char);
      else if (char === '}' || char === ']') yield* this.#close();
    }
  }

  get #isRow(): boolean {
    return this.#text !== '';
  }

  #goThroughString(char: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (char === '\\') this.#isEscaped = true;
    else if (char === '"') this.#inString = false;
  }

  #open(char: string): void {
    this.#depth++;
    if (char === '[' && this.#depth === 1) this.#rowDepth = 2;
    else if (char === '{' && !this.#isRow && this.#depth === (this.#rowDepth ?? 1)) {
      // An object outside of any list is a row, or what holds the list: the next sign tells.
      this.#text = char;
    }
    if (char === '[' && this.#isRow && this.#depth === 2 && /^\{\s*"data"\s*:\s*\[$/.test(this.#text)) {
      this.#text = '';
      this.#rowDepth = 3;
    }
  }

  *#close(): Generator<Record<string, unknown>> {
    const isEndOfRow = this.#isRow && this.#depth === (this.#rowDepth ?? 1);
    this.#depth--;
    if (!isEndOfRow) return;
    const text = this.#text;
    this.#text = '';
    yield JSON.parse(text);
  }
}
