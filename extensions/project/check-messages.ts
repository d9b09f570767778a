import { formatMessage, textRenderer } from '../../src/config/languages/format-message.ts';
import type { Languages } from '../../src/config/languages/languages.ts';
import { type MessagePart, parseMessage } from '../../src/config/languages/message-parts.ts';
import { reasonOf } from '../../src/platform/errors.ts';

/** The names of the values and tags of a message. A translation may use no others. */
function namesIn(parts: readonly MessagePart[]): Set<string> {
  const names = new Set<string>();
  for (const part of parts) {
    if (typeof part === 'string' || part.kind === 'count') continue;
    names.add(part.kind === 'tag' ? `<${part.name}>` : part.name);
    const inner = part.kind === 'choice' ? [...part.cases.values()] : part.kind === 'tag' ? [part.parts] : [];
    for (const parts of inner) for (const name of namesIn(parts)) names.add(name);
  }
  return names;
}

/** Values that are known only at run time. */
const runtimeNames = (key: string): readonly string[] =>
  /^(field_error|problem)\./.test(key) ? ['detail', 'field', 'limit', 'values'] : [];

/** The mistake in a translation, compared with the English message. Undefined if there is none. */
export function checkTranslation(key: string, english: string, text: string, language: string): string | undefined {
  try {
    const parts = parseMessage(text);
    const allowed = new Set([...namesIn(parseMessage(english)), ...runtimeNames(key)]);
    const unknownName = [...namesIn(parts)].find((name) => !allowed.has(name));
    if (unknownName) return `${unknownName} is not a value of this message`;
    formatMessage(parts, {}, language, textRenderer(language));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The keys that an operator's own message file lacks or does not need, for `gatehouse check`. */
export interface CustomMessages {
  readonly language: string;
  /** Shown in the default language or in English. */
  readonly missing: readonly string[];
  /** Not keys of Gatehouse. The operator's own views can use them. */
  readonly unknown: readonly string[];
  readonly mistakes: readonly string[];
}

export function checkCustomMessages(languages: Languages): CustomMessages[] {
  const { english } = languages;
  return [...languages.custom].map(([language, messages]) => {
    const translated = languages.translatedKeys(language);
    return {
      language,
      missing: [...english.keys()].filter((key) => !translated.has(key)),
      unknown: [...messages.keys()].filter((key) => !languages.isBuiltIn(key)),
      mistakes: [...messages].flatMap(([key, text]) => {
        const problem = languages.isBuiltIn(key) && checkTranslation(key, english.get(key) ?? '', text, language);
        return problem ? [`${key}: ${problem}`] : [];
      }),
    };
  });
}
