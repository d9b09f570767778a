import { isOneOf } from '../../platform/is-one-of.ts';

/** A parsed message: text, values, choices by number or word, and named tags. */
export type MessagePart =
  | string
  | { readonly kind: 'value'; readonly name: string; readonly style: ValueStyle | undefined }
  | { readonly kind: 'count' }
  | { readonly kind: 'choice'; readonly name: string; readonly plural: boolean; readonly cases: Cases }
  | { readonly kind: 'tag'; readonly name: string; readonly parts: readonly MessagePart[] };

const styles = ['number', 'date', 'time'] as const;
export type ValueStyle = (typeof styles)[number];
type Cases = ReadonlyMap<string, readonly MessagePart[]>;

/**
 * Parses a message in a subset of ICU MessageFormat: `{name}`, `{at, time}`, `{n, plural, one {# day} other {#
 * days}}`, `{kind, select, a {…} other {…}}`, and `<strong>…</strong>`. An apostrophe escapes a brace.
 */
export function parseMessage(source: string): readonly MessagePart[] {
  const parser = new MessageParser(source);
  const parts = parser.parts(undefined, false);
  if (!parser.isAtEnd) throw parser.syntaxError('it closes a tag that is not open');
  return parts;
}

class MessageParser {
  readonly #source: string;
  #position = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#source.length;
  }

  syntaxError(reason: string): Error {
    return new Error(`${reason}, at character ${this.#position + 1} of "${this.#source}"`);
  }

  /** Reads up to the closing brace or tag. */
  parts(tag: string | undefined, inPlural: boolean): MessagePart[] {
    const parts: MessagePart[] = [];
    let text = '';
    const flush = () => {
      if (text !== '') parts.push(text);
      text = '';
    };
    while (!this.isAtEnd) {
      const char = this.#source.charAt(this.#position);
      if (char === '}' || this.#source.startsWith('</', this.#position)) break;
      const [, openTag] = /^<([a-z]+)>/.exec(this.#source.slice(this.#position, this.#position + 20)) ?? [];
      if (char === '{' || (char === '#' && inPlural) || openTag) flush();
      if (char === '{') parts.push(this.#braces(inPlural));
      else if (openTag) parts.push(this.#tag(openTag, inPlural));
      else if (char === '#' && inPlural) {
        this.#position++;
        parts.push({ kind: 'count' });
      } else text += this.#char(char);
    }
    flush();
    if (tag !== undefined && !this.#accept(`</${tag}>`)) throw this.syntaxError(`<${tag}> is not closed`);
    return parts;
  }

  #char(char: string): string {
    this.#position++;
    if (char !== "'" || !/[{}]/.test(this.#source[this.#position] ?? '')) return char;
    const end = this.#source.indexOf("'", this.#position);
    const quoted = this.#source.slice(this.#position, end < 0 ? undefined : end);
    this.#position = end < 0 ? this.#source.length : end + 1;
    return quoted;
  }

  #tag(name: string, inPlural: boolean): MessagePart {
    this.#position += name.length + 2;
    return { kind: 'tag', name, parts: this.parts(name, inPlural) };
  }

  #braces(inPlural: boolean): MessagePart {
    this.#position++;
    const name = this.#word();
    if (name === '') throw this.syntaxError('a name is missing after "{"');
    if (this.#accept('}')) return { kind: 'value', name, style: undefined };
    if (!this.#accept(',')) throw this.syntaxError(`"}" or "," is missing after "${name}"`);
    const type = this.#word();
    if (this.#accept('}')) {
      if (!isOneOf(styles, type)) throw this.syntaxError(`"${type}" is not one of ${styles.join(', ')}`);
      return { kind: 'value', name, style: type };
    }
    if ((type !== 'plural' && type !== 'select') || !this.#accept(','))
      throw this.syntaxError(`"${type}" is not known`);
    return { kind: 'choice', name, plural: type === 'plural', cases: this.#cases(type === 'plural' || inPlural) };
  }

  #cases(inPlural: boolean): Cases {
    const cases = new Map<string, readonly MessagePart[]>();
    while (!this.#accept('}')) {
      const name = this.#word();
      if (name === '' || !this.#accept('{')) throw this.syntaxError('a case is missing');
      cases.set(name, this.parts(undefined, inPlural));
      if (!this.#accept('}')) throw this.syntaxError(`the case "${name}" is not closed`);
    }
    if (!cases.has('other')) throw this.syntaxError('the case "other" is missing');
    return cases;
  }

  #word(): string {
    const [all = '', word = ''] = /^\s*(=?[\w-]*)\s*/.exec(this.#source.slice(this.#position)) ?? [];
    this.#position += all.length;
    return word;
  }

  /** Skips blanks and this text, if it comes next. */
  #accept(text: string): boolean {
    const blanks = text.startsWith('<') ? 0 : (/^\s*/.exec(this.#source.slice(this.#position))?.[0].length ?? 0);
    if (!this.#source.startsWith(text, this.#position + blanks)) return false;
    this.#position += blanks + text.length;
    return true;
  }
}
