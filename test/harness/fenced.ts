import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './starts.ts';

export interface Fenced {
  readonly path: string;
  readonly language: string;
  /** The text after the language: ```` ```sh norun ````. */
  readonly mark: string;
  readonly text: string;
}

/** Every document for users of Gatehouse and for contributors. */
export const documents = (): string[] =>
  globSync(['*.md', 'docs/**/*.md', 'client/*.md', 'console/*.md', 'examples/*/*.md'], { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

/** The fenced code blocks of one language in a document. Blocks inside a list are indented. */
export function fenced(path: string, language: string): Fenced[] {
  const blocks = readFileSync(join(root, path), 'utf8').matchAll(/^([ \t]*)```(\w+)[ \t]*([^\n]*)\n([\s\S]*?)^\1```/gm);
  return [...blocks]
    .map(([, indent = '', found = '', mark = '', text = '']) => ({
      path,
      language: found,
      mark: mark.trim(),
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }))
    .filter((block) => block.language === language);
}
