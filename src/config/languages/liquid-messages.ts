import type { Context, Emitter, Liquid, TagToken, TopLevelToken } from 'liquidjs';
import type { Languages } from './languages.ts';
import { Message } from './message.ts';

export type LiquidModule = typeof import('liquidjs');

/**
 * Adds messages to a template engine. `{% t 'key', name: value %}` writes a message: as HTML with escaped values, or as plain text without
 * `markup`. `{{ 'key' | t: name: value }}` is the text, for example for an attribute. The variable `language` selects the language.
 */
export function addMessages(
  liquid: Liquid,
  { Tag, Hash, evalToken }: Pick<LiquidModule, 'Tag' | 'Hash' | 'evalToken'>,
  languages: Languages,
  { markup }: { readonly markup: boolean },
): void {
  const languageOf = (context: Context): string => String(context.getSync(['language']) ?? languages.default);

  class MessageTag extends Tag {
    readonly #key;
    readonly #hash;

    constructor(token: TagToken, remaining: TopLevelToken[], engine: Liquid) {
      super(token, remaining, engine);
      this.#key = this.tokenizer.readValueOrThrow();
      this.#hash = new Hash(this.tokenizer);
    }

    *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
      const values = (yield this.#hash.render(context)) as Record<string, unknown>;
      const key = String(yield evalToken(this.#key, context));
      const language = languageOf(context);
      emitter.write(markup ? languages.html(language, key, values) : languages.text(language, key, values));
    }
  }

  liquid.registerTag('t', MessageTag);
  liquid.registerFilter('t', function (keyOrMessage: unknown, ...values: [string, unknown][]) {
    if (typeof keyOrMessage !== 'string' && !(keyOrMessage instanceof Message)) return keyOrMessage;
    return languages.text(languageOf(this.context), keyOrMessage, Object.fromEntries(values));
  });
}
