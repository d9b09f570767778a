import { OperatorError } from '../../platform/errors.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';
import type { Config } from '../config.ts';
import { lookUpLanguage, readAcceptLanguage } from './accept-language.ts';
import { htmlRenderer } from './format-html.ts';
import { formatMessage, type MessageValues, textRenderer } from './format-message.ts';
import { Message } from './message.ts';
import { type MessagePart, parseMessage } from './message-parts.ts';
import {
  builtInLanguages,
  type Messages,
  readBuiltIn,
  readBuiltInSurface,
  readCustomMessages,
} from './read-messages.ts';

/** The language that every other language falls back to. */
export const fallbackLanguage = 'en';

/** The built-in languages, and the operator's own, which override and add messages. */
export class Languages {
  /** BCP 47 tags. */
  readonly list: readonly string[];
  /** The language for requests that name no language. */
  readonly default: string;
  readonly custom: ReadonlyMap<string, Messages>;
  readonly #builtIn = new Map<string, Messages>();
  readonly #parsed = new Map<string, Map<string, readonly MessagePart[]>>();

  constructor({ languagesDir, defaultLanguage }: Pick<Config, 'languagesDir' | 'defaultLanguage'>) {
    this.custom = readCustomMessages(languagesDir);
    this.list = [...new Set([...builtInLanguages(), ...this.custom.keys()])].sort();
    const matched = lookUpLanguage([defaultLanguage], this.list);
    if (matched === undefined) {
      const availableHint = `There are ${this.list.join(', ')}; a file of LANGUAGES_DIR adds one.`;
      throw new OperatorError(`DEFAULT_LANGUAGE: there are no messages in "${defaultLanguage}". ${availableHint}`);
    }
    this.default = matched;
  }

  /** The first of these tags that is available; otherwise the default language. */
  match(requested: readonly (string | null | undefined)[]): string {
    return this.find(requested) ?? this.default;
  }

  find(requested: readonly (string | null | undefined)[]): string | undefined {
    return lookUpLanguage(
      requested.filter((tag) => tag !== null && tag !== undefined),
      this.list,
    );
  }

  matchHeader(acceptLanguage: string | null | undefined): string {
    return this.match(readAcceptLanguage(acceptLanguage));
  }

  /** Without markup. A text that is not a key stays as it is. */
  text(language: string, keyOrMessage: string | Message, values: MessageValues = {}): string {
    if (keyOrMessage instanceof Message) return this.#format(language, keyOrMessage);
    const message = this.#find(language, keyOrMessage);
    if (!message) return keyOrMessage;
    const inner = this.#formatInnerMessages(language, values);
    return formatMessage(message.parts, inner, message.language, textRenderer(language));
  }

  #format(language: string, { key, values, fallback }: Message): string {
    const usesFallback = fallback !== undefined && this.#find(language, key) === undefined;
    return usesFallback ? this.text(language, fallback) : this.text(language, key, values);
  }

  /** As HTML: values are escaped. */
  html(language: string, key: string, values: MessageValues = {}): string {
    const message = this.#find(language, key);
    const inner = this.#formatInnerMessages(language, values);
    if (message) return formatMessage(message.parts, inner, message.language, htmlRenderer(language, inner));
    return htmlRenderer(language, inner).text(key);
  }

  /** The English messages, which are complete. */
  get english(): Messages {
    return this.#messagesOf(fallbackLanguage);
  }

  /** The messages of a language on some surfaces. A missing message comes from the fallback language. */
  messagesOf(language: string, surfaces: readonly string[]): Record<string, string> {
    const tags = this.#chain(language).reverse();
    const entries = tags.flatMap((tag) => [
      ...surfaces.flatMap((surface) => [...readBuiltInSurface(tag, surface)]),
      ...(this.custom.get(tag) ?? []),
    ]);
    return Object.fromEntries(entries);
  }

  isBuiltIn(key: string): boolean {
    return this.english.has(key);
  }

  /** The keys that this language or its base language (`de` for `de-AT`) has itself, without any fallback. */
  translatedKeys(language: string): ReadonlySet<string> {
    const languageTags = this.#chain(language).filter((tag) => language === tag || language.startsWith(`${tag}-`));
    return new Set(
      languageTags.flatMap((tag) => [...this.#messagesOf(tag).keys(), ...(this.custom.get(tag)?.keys() ?? [])]),
    );
  }

  /** A value can be a message too. */
  #formatInnerMessages(language: string, values: MessageValues): MessageValues {
    if (!Object.values(values).some((value) => value instanceof Message)) return values;
    const formatInner = (value: unknown) => (value instanceof Message ? this.text(language, value) : value);
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, formatInner(value)]));
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
    return [...new Set([...tags, this.default, fallbackLanguage])];
  }

  #parsedOf(tag: string, key: string): readonly MessagePart[] | undefined {
    const parsed = getOrCreate(this.#parsed, tag, () => new Map());
    const cached = parsed.get(key);
    if (cached) return cached;
    const source = this.custom.get(tag)?.get(key) ?? this.#messagesOf(tag).get(key);
    if (source === undefined) return undefined;
    const parts = parseMessage(source);
    parsed.set(key, parts);
    return parts;
  }

  /** Reads the files of a language at its first use. */
  #messagesOf(tag: string): Messages {
    return getOrCreate(this.#builtIn, tag, () => (builtInLanguages().includes(tag) ? readBuiltIn(tag) : new Map()));
  }
}

const languagesByConfig = new WeakMap<object, Languages>();

/** One object for each configuration. */
export const getLanguages = (config: Pick<Config, 'languagesDir' | 'defaultLanguage'>): Languages =>
  getOrCreate(languagesByConfig, config, () => new Languages(config));

const namesByTag = new Map<string, string>();

/** The name of a language in itself: "Deutsch". */
export const languageName = (tag: string): string =>
  getOrCreate(namesByTag, tag, () => {
    const name = new Intl.DisplayNames([tag], { type: 'language', fallback: 'code' }).of(tag) ?? tag;
    return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
  });
