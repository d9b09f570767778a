import { globSync, readFileSync } from 'node:fs';

const exported = /^export (?:async )?(?:const|function\*?|class) (\w+)/gm;

/** Exports of `src` and `extensions` that no other file mentions. Types of used functions are allowed. */
export function unusedExports(root: string): string[] {
  const files = globSync(
    '{src,extensions,test,bench,scripts,client,console/src,templates,examples}/**/*.{ts,tsx,mjs}',
    {
      cwd: root,
      exclude: ['**/node_modules/**'],
    },
  );
  const texts = new Map(files.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')]));
  const mentions = new Map<string, number>();
  for (const text of texts.values()) {
    for (const word of new Set(text.match(/\w+/g))) mentions.set(word, (mentions.get(word) ?? 0) + 1);
  }
  return [...texts]
    .filter(([file]) => /^(src|extensions)/.test(file) && !file.endsWith('.test.ts'))
    .flatMap(([file, text]) =>
      [...text.matchAll(exported)]
        .filter(([, name]) => mentions.get(name as string) === 1)
        .map(([, name]) => `${file} exports ${name}`),
    );
}
