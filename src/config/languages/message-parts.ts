import { isOneOf } from '../../platform/is-one-of.ts';

/** A parsed message: text, values, choices by number or word, and named tags. */
export type MessagePart =
  | string
  | { readonly kind: 'value'; readonly name: string; readonly style: ValueStyle | undefined }
  | { readonly kind: 'count' }
  | { readonly kind: 'choice'; readonly name: string; readonly plural: boolean; readonly cases: Cases }
  | { readonly kind: 'stretch'; readonly name: string; readonly parts: readonly MessagePart[] };

const styles = ['number', 'date', 'time'] as const;
export type ValueStyle = (typeof styles)[number];
type Cases = ReadonlyMap<string, readonly MessagePart[]>;

/**
 * Parses a message in a subset of ICU MessageFormat: `{name}`, `{at, time}`, `{n, plural, one {# day} other {#
 * days}}`, `{kind, select, a {…} other {…}}`, and `<strong>…</strong>`. An apostrophe escapes a brace.
 */
export function parseMessage(source: string): readonly MessagePart[] {
  const reader = new Reader(source);
  const parts = reader.parts(undefined, false);
  if (!reader.done) throw reader.wrong('it closes a tag that is not open');
  return parts;
}

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get done(): boolean {
    return this.#at >= this.#source.length;
  }

  wrong(what: string): Error {
    return new Error(`${what}, at character ${this.#at + 1} of "${this.#source}"`);
  }

  /** Reads up to the closing brace or tag. */
  parts(tag: string | undefined, inPlural: boolean): MessagePart[] {
    const parts: MessagePart[] = [];
    let text = '';
    const flush = () => {
      if (text !== '') parts.push(text);
      text = '';
    };
    while (!this.done) {
      const char = this.#source.charAt(this.#at);
      if (char === '}' || this.#source.startsWith('</', this.#at)) break;
      const [, open] = /^<([a-z]+)>/.exec(this.#source.slice(this.#at, this.#at + 20)) ?? [];
      if (char === '{' || (char === '#' && inPlural) || open) flush();
      if (char === '{') parts.push(this.#braces(inPlural));
      else if (open) parts.push(this.#stretch(open, inPlural));
      else if (char === '#' && inPlural) {
        this.#at++;
        parts.push({ kind: 'count' });
      } else text += this.#char(char);
    }
    flush();
    if (tag !== undefined && !this.#accept(`</${tag}>`)) throw this.wrong(`<${tag}> is not closed`);
    return parts;
  }

  #char(char: string): string {
    this.#at++;
    if (char !== "'" || !/[{}]/.test(this.#source[this.#at] ?? '')) return char;
    const end = this.#source.indexOf("'", this.#at);
    const quoted = this.#source.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#source.length : end + 1;
    return quoted;
  }

  #stretch(name: string, inPlural: boolean): MessagePart {
    this.#at += name.length + 2;
    return { kind: 'stretch', name, parts: this.parts(name, inPlural) };
  }

  #braces(inPlural: boolean): MessagePart {
    this.#at++;
    const name = this.#word();
    if (name === '') throw this.wrong('a name is missing after "{"');
    if (this.#accept('}')) return { kind: 'value', name, style: undefined };
    if (!this.#accept(',')) throw this.wrong(`"}" or "," is missing after "${name}"`);
    const type = this.#word();
    if (this.#accept('}')) {
      if (!isOneOf(styles, type)) throw this.wrong(`"${type}" is not one of ${styles.join(', ')}`);
      return { kind: 'value', name, style: type };
    }
    if ((type !== 'plural' && type !== 'select') || !this.#accept(',')) throw this.wrong(`"${type}" is not known`);
    return { kind: 'choice', name, plural: type === 'plural', cases: this.#cases(type === 'plural' || inPlural) };
  }

  #cases(inPlural: boolean): Cases {
    const cases = new Map<string, readonly MessagePart[]>();
    while (!this.#accept('}')) {
      const name = this.#word();
      if (name === '' || !this.#accept('{')) throw this.wrong('a case is missing');
      cases.set(name, this.parts(undefined, inPlural));
      if (!this.#accept('}')) throw this.wrong(`the case "${name}" is not closed`);
    }
    if (!cases.has('other')) throw this.wrong('the case "other" is missing');
    return cases;
  }

  #word(): string {
    const [all = '', word = ''] = /^\s*(=?[\w-]*)\s*/.exec(this.#source.slice(this.#at)) ?? [];
    this.#at += all.length;
    return word;
  }

  /** Skips blanks and this text, if it comes next. */
  #accept(text: string): boolean {
    const blanks = text.startsWith('<') ? 0 : (/^\s*/.exec(this.#source.slice(this.#at))?.[0].length ?? 0);
    if (!this.#source.startsWith(text, this.#at + blanks)) return false;
    this.#at += blanks + text.length;
    return true;
  }
}
