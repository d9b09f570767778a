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
    const after = texts[i + 1] as string;
    if (part instanceof Fragment) {
      strings[strings.length - 1] += part.strings[0] as string;
      for (let j = 0; j < part.values.length; j++) {
        values.push(part.values[j]);
        strings.push(part.strings[j + 1] as string);
      }
      strings[strings.length - 1] += after;
    } else {
      values.push(part);
      strings.push(after);
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
  const real = fragments.filter((fragment) => fragment !== sqlTrue);
  if (real.includes(sqlFalse)) return sqlFalse;
  const [first = sqlTrue] = real;
  return real.length < 2 ? first : sql`(${join(real, ' and ')})`;
};
export const or = (fragments: readonly Fragment[]): Fragment => {
  const real = fragments.filter((fragment) => fragment !== sqlFalse);
  if (real.includes(sqlTrue)) return sqlTrue;
  const [first = sqlFalse] = real;
  return real.length < 2 ? first : sql`(${join(real, ' or ')})`;
};
