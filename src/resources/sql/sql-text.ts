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

export function sql(texts: TemplateStringsArray, ...parts: unknown[]): Fragment {
  const strings: string[] = [texts[0] as string];
  const values: unknown[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    const textAfter = texts[i + 1] as string;
    if (part instanceof Fragment) {
      strings[strings.length - 1] += part.strings[0] as string;
      for (let j = 0; j < part.values.length; j++) {
        values.push(part.values[j]);
        strings.push(part.strings[j + 1] as string);
      }
      strings[strings.length - 1] += textAfter;
    } else {
      values.push(part);
      strings.push(textAfter);
    }
  }
  return new Fragment(strings, values);
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
  const strings: string[] = [''];
  const values: unknown[] = [];
  for (const [i, fragment] of fragments.entries()) {
    strings[strings.length - 1] += (i === 0 ? '' : separator) + fragment.strings[0];
    for (const [j, value] of fragment.values.entries()) {
      values.push(value);
      strings.push(fragment.strings[j + 1] as string);
    }
  }
  return new Fragment(strings, values);
}

/** The first condition of each WHERE that may scan more rows than it returns (`row-mark.ts`). */
export const countRow = raw(rowMark);
export const countInnerRow = raw(innerRowMark);
export const countLongText = raw(longTextMark);

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
