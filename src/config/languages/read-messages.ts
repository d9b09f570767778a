import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OperatorError, reasonOf } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json-text.ts';
import { parseMessage } from './message-parts.ts';

/** Key → message. */
export type Messages = ReadonlyMap<string, string>;

const builtInDir = join(import.meta.dirname, 'messages');

export const builtInLanguages = (): string[] => readdirSync(builtInDir).sort();

/** The built-in messages: a folder for each language, a file for each surface. */
export function readBuiltIn(language: string): Messages {
  const folder = join(builtInDir, language);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(
    files.flatMap((name) =>
      Object.entries(parseJson<Record<string, string>>(readFileSync(join(folder, name), 'utf8'))),
    ),
  );
}

/** The built-in messages of one surface, such as the console. */
export function readBuiltInSurface(language: string, surface: string): Messages {
  const file = join(builtInDir, language, `${surface}.json`);
  return existsSync(file)
    ? new Map(Object.entries(parseJson<Record<string, string>>(readFileSync(file, 'utf8'))))
    : new Map();
}

/** The operator's own messages. `de.json` in LANGUAGES_DIR overrides and adds messages. Another name adds a language. */
export function readCustomMessages(languagesDir: string): ReadonlyMap<string, Messages> {
  if (!existsSync(languagesDir)) return new Map();
  const files = readdirSync(languagesDir).filter((name) => name.endsWith('.json'));
  return new Map(files.map((name) => [tagOf(join(languagesDir, name)), readCustomFile(join(languagesDir, name))]));
}

function tagOf(file: string): string {
  const name = basename(file, '.json');
  try {
    const [tag = ''] = Intl.getCanonicalLocales(name);
    if (tag === name) return tag;
    throw new OperatorError(`${file}: rename it to ${tag}.json, the BCP 47 form of that language.`);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `${file}: "${name}" is not a language. Name the file after its BCP 47 tag, such as it.json or pt-BR.json.`,
    );
  }
}

function readCustomFile(file: string): Messages {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OperatorError(`${file}: it could not be read: ${reasonOf(error)}`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new OperatorError(`${file}: it must contain one object of keys and messages.`);
  for (const [key, text] of Object.entries(content)) {
    if (typeof text !== 'string') throw new OperatorError(`${file}: the message "${key}" must be text.`);
    rejectMalformed(file, key, text);
  }
  return new Map(Object.entries(content as Record<string, string>));
}

function rejectMalformed(file: string, key: string, text: string): void {
  try {
    parseMessage(text);
  } catch (error) {
    throw new OperatorError(`${file}: the message "${key}": ${reasonOf(error)}.`);
  }
}
