import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './starts.ts';

export interface Fenced {
  readonly path: string;
  readonly language: string;
  /** What stands after the language: ```` ```sh norun ````. */
  readonly mark: string;
  readonly text: string;
}

/** Every document that somebody reads who uses Gatehouse or works on it. */
export const documents = (): string[] =>
  globSync(['*.md', 'docs/**/*.md', 'client/*.md', 'console/*.md', 'examples/*/*.md'], { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

/** What stands fenced in a document, of one language. Blocks inside a list are indented. */
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
