import { innerRowMark, longTextMark, rowMark } from '../../database/sqlite/row-mark.ts';

/** A piece of SQL: strings, and a value between each two of them. Values become parameters. Names come from checked declarations. */
export class Fragment {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** Collects the parts of a fragment. */
class Parts {
  readonly #strings: string[] = [];
  readonly #values: unknown[] = [];
  /** The text since the last value. */
  #text = '';

  addText(text: string): void {
    this.#text += text;
  }

  addValue(value: unknown): void {
    this.#strings.push(this.#text);
    this.#values.push(value);
    this.#text = '';
  }

  addFragment({ strings, values }: Fragment): void {
    for (let i = 0; i < strings.length; i++) {
      if (i > 0) this.addValue(values[i - 1]);
      this.#text += strings[i];
    }
  }

  toFragment(): Fragment {
    this.#strings.push(this.#text);
    return new Fragment(this.#strings, this.#values);
  }
}

export function sql(texts: TemplateStringsArray, ...values: unknown[]): Fragment {
  const parts = new Parts();
  parts.addText(texts[0] ?? '');
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value instanceof Fragment) parts.addFragment(value);
    else parts.addValue(value);
    parts.addText(texts[i + 1] ?? '');
  }
  return parts.toFragment();
}

/** SQL text. Never pass input of a request. */
export const raw = (text: string): Fragment => new Fragment([text], []);

const namePattern = /^[a-z][a-z0-9_]{0,62}$/;

/** Quotes a name. Throws for a name that no declaration can have. */
export function quoted(name: string): string {
  if (!namePattern.test(name)) throw new Error(`"${name}" is not the name of a table or column`);
  return `"${name}"`;
}

export function join(fragments: readonly Fragment[], separator: string): Fragment {
  const parts = new Parts();
  for (const [i, fragment] of fragments.entries()) {
    if (i > 0) parts.addText(separator);
    parts.addFragment(fragment);
  }
  return parts.toFragment();
}

/** The first condition of each WHERE that may scan more rows than it returns (`row-mark.ts`). */
export const rowBudgetMark = raw(rowMark);
export const innerRowBudgetMark = raw(innerRowMark);
export const longTextBudgetMark = raw(longTextMark);

export const sqlTrue = raw('1 = 1');
export const sqlFalse = raw('1 = 0');

export const and = (fragments: readonly Fragment[]): Fragment => {
  const relevant = fragments.filter((fragment) => fragment !== sqlTrue);
  if (relevant.includes(sqlFalse)) return sqlFalse;
  const [first = sqlTrue] = relevant;
  return relevant.length < 2 ? first : sql`(${join(relevant, ' and ')})`;
};
export const or = (fragments: readonly Fragment[]): Fragment => {
  const relevant = fragments.filter((fragment) => fragment !== sqlFalse);
  if (relevant.includes(sqlTrue)) return sqlTrue;
  const [first = sqlFalse] = relevant;
  return relevant.length < 2 ? first : sql`(${join(relevant, ' or ')})`;
};
