import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Release {
  readonly name: string;
  readonly changes: readonly string[];
}

const namesThePath = /\/v1\b|\/oauth\b|\/\.well-known\b|\/openapi\.json|\/mcp\b/;

/** The lines of CHANGELOG.md that name a path of the API, by release. Empty where the file was not shipped. */
export function readApiChanges(file = join(import.meta.dirname, '../../../CHANGELOG.md')): Release[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const [, ...releases] = text.split(/^## /m);
  return releases
    .map((release) => {
      const [name = '', ...lines] = release.split('\n');
      const items = lines.join('\n').split(/^- /m).slice(1);
      return { name: name.trim(), changes: items.map(onOneLine).filter((change) => namesThePath.test(change)) };
    })
    .filter(({ changes }) => changes.length > 0);
}

const onOneLine = (item: string): string => (item.split(/\n\s*\n/, 1)[0] ?? '').replace(/\s+/g, ' ').trim();
