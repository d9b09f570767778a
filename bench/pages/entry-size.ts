import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const dist = join(import.meta.dirname, '../../console/dist');

/** Everything that the browser needs to draw a first list: the entry, and the console with its lists. */
export function listKilobytes(): number {
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  const files = new Set<string>();
  const add = (name: string): void => {
    const chunk = manifest[name];
    if (!chunk || files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const style of chunk.css ?? []) files.add(style);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  for (const name of ['index.html', 'src/app/render-console.tsx']) add(name);
  const bytes = [...files].map((file) => statSync(join(dist, `${file}.br`)).size);
  return Math.round(bytes.reduce((sum, size) => sum + size, 0) / 1000);
}
