import { OperatorError } from '../../platform/errors.ts';
import { getOrMake } from '../../platform/get-or-make.ts';
import type { Config } from '../config.ts';
import { lookUpLanguage, readAcceptLanguage } from './accept-language.ts';
import { asHtml } from './format-html.ts';
import { formatMessage, type MessageValues, plainText } from './format-message.ts';
import { Message } from './message.ts';
import { type MessagePart, parseMessage } from './message-parts.ts';
import { builtInLanguages, type Messages, readBuiltIn, readOwn, readSurface } from './read-messages.ts';

/** The language that every other language falls back to. */
export const firstLanguage = 'en';

/** The built-in languages, and the operator's own, which override and add messages. */
export class Languages {
  /** BCP 47 tags. */
  readonly list: readonly string[];
  /** The language for requests that name no language. */
  readonly standard: string;
  readonly own: ReadonlyMap<string, Messages>;
  readonly #builtIn = new Map<string, Messages>();
  readonly #parsed = new Map<string, Map<string, readonly MessagePart[]>>();

  constructor({ languagesDir, defaultLanguage }: Pick<Config, 'languagesDir' | 'defaultLanguage'>) {
    this.own = readOwn(languagesDir);
    this.list = [...new Set([...builtInLanguages(), ...this.own.keys()])].sort();
    const standard = lookUpLanguage([defaultLanguage], this.list);
    if (standard === undefined) {
      const there = `There are ${this.list.join(', ')}; a file of LANGUAGES_DIR adds one.`;
      throw new OperatorError(`DEFAULT_LANGUAGE: there are no messages in "${defaultLanguage}". ${there}`);
    }
    this.standard = standard;
  }

  /** The first of these tags that is available; otherwise the default language. */
  choose(wanted: readonly (string | null | undefined)[]): string {
    return this.find(wanted) ?? this.standard;
  }

  find(wanted: readonly (string | null | undefined)[]): string | undefined {
    return lookUpLanguage(
      wanted.filter((tag) => tag !== null && tag !== undefined),
      this.list,
    );
  }

  chooseFor(acceptLanguage: string | null | undefined): string {
    return this.choose(readAcceptLanguage(acceptLanguage));
  }

  /** Without markup. A text that is not a key stays as it is. */
  text(language: string, what: string | Message, values: MessageValues = {}): string {
    if (what instanceof Message) return this.#say(language, what);
    const found = this.#find(language, what);
    return found
      ? formatMessage(found.parts, this.#inner(language, values), found.language, plainText(language))
      : what;
  }

  #say(language: string, { key, values, otherwise }: Message): string {
    const instead = otherwise !== undefined && this.#find(language, key) === undefined;
    return instead ? this.text(language, otherwise) : this.text(language, key, values);
  }

  /** As HTML: values are escaped. */
  html(language: string, key: string, values: MessageValues = {}): string {
    const found = this.#find(language, key);
    const inner = this.#inner(language, values);
    if (found) return formatMessage(found.parts, inner, found.language, asHtml(language, inner));
    return asHtml(language, inner).text(key);
  }

  /** The English messages, which are complete. */
  get english(): Messages {
    return this.#messagesOf(firstLanguage);
  }

  /** The messages of a language on some surfaces. A missing message comes from the fallback language. */
  surface(language: string, surfaces: readonly string[]): Record<string, string> {
    const tags = this.#chain(language).reverse();
    const entries = tags.flatMap((tag) => [
      ...surfaces.flatMap((surface) => [...readSurface(tag, surface)]),
      ...(this.own.get(tag) ?? []),
    ]);
    return Object.fromEntries(entries);
  }

  isBuiltIn(key: string): boolean {
    return this.english.has(key);
  }

  /** The keys that this language or its base language (`de` for `de-AT`) has itself, without any fallback. */
  spokenIn(language: string): ReadonlySet<string> {
    const own = this.#chain(language).filter((tag) => language === tag || language.startsWith(`${tag}-`));
    return new Set(own.flatMap((tag) => [...this.#messagesOf(tag).keys(), ...(this.own.get(tag)?.keys() ?? [])]));
  }

  /** A value can be a message too. */
  #inner(language: string, values: MessageValues): MessageValues {
    if (!Object.values(values).some((value) => value instanceof Message)) return values;
    const read = (value: unknown) => (value instanceof Message ? this.text(language, value) : value);
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, read(value)]));
  }

  #find(language: string, key: string): { parts: readonly MessagePart[]; language: string } | undefined {
    for (const tag of this.#chain(language)) {
      const parts = this.#parsedOf(tag, key);
      if (parts) return { parts, language: tag };
    }
    return undefined;
  }

  /** `de-CH`, `de`, the default language, English. */
  #chain(language: string): string[] {
    const parts = language.split('-');
    const tags = parts.map((_, i) => parts.slice(0, parts.length - i).join('-'));
    return [...new Set([...tags, this.standard, firstLanguage])];
  }

  #parsedOf(tag: string, key: string): readonly MessagePart[] | undefined {
    const parsed = getOrMake(this.#parsed, tag, () => new Map());
    const known = parsed.get(key);
    if (known) return known;
    const source = this.own.get(tag)?.get(key) ?? this.#messagesOf(tag).get(key);
    if (source === undefined) return undefined;
    const parts = parseMessage(source);
    parsed.set(key, parts);
    return parts;
  }

  /** Reads the files of a language at its first use. */
  #messagesOf(tag: string): Messages {
    return getOrMake(this.#builtIn, tag, () => (builtInLanguages().includes(tag) ? readBuiltIn(tag) : new Map()));
  }
}

const known = new WeakMap<object, Languages>();

/** One object for each configuration. */
export const languagesOf = (config: Pick<Config, 'languagesDir' | 'defaultLanguage'>): Languages =>
  getOrMake(known, config, () => new Languages(config));

const names = new Map<string, string>();

/** The name of a language in itself: "Deutsch". */
export const nameOfLanguage = (tag: string): string =>
  getOrMake(names, tag, () => {
    const name = new Intl.DisplayNames([tag], { type: 'language', fallback: 'code' }).of(tag) ?? tag;
    return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
  });
