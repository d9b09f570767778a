import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { OperatorError } from '../../platform/errors.ts';

/** In this order: the first existing file is the view. */
const extensions = ['.html', '.php', '.blade.php'] as const;

export const builtInViews = join(import.meta.dirname, '../views');

/** Syntax of other template engines. Gatehouse does not run it, so it must not send it. */
const foreignCode: readonly { readonly pattern: RegExp; readonly description: string }[] = [
  { pattern: /<\?/, description: 'PHP code ("<?")' },
  { pattern: /\{!!/, description: 'Blade output ("{!!")' },
  { pattern: /\{\{-?\s*(\$|[\w\\]+::|[\w\\]+\()/, description: 'Blade output ("{{ $…" or a call of PHP)' },
  { pattern: /\{\{--/, description: 'a Blade comment ("{{--")' },
  {
    pattern:
      /(?<![\w@.])@(if|elseif|else|endif|unless|isset|empty|foreach|endforeach|forelse|for|while|switch|php|endphp|extends|section|endsection|yield|include\w*|csrf|method|auth|guest|error|push|stack|component|slot|props|lang|json|vite)(?![\w-])/,
    description: 'a Blade directive ("@…")',
  },
];

/** Views by name, such as `login` or `parts/field`: the built-in views, replaced or extended by files in VIEWS_DIR. */
export function readViews(viewsDir: string, loginView: string) {
  const views = readFolder(builtInViews);
  const operatorViews = existsSync(viewsDir) ? readFolder(viewsDir) : new Map<string, string>();
  for (const [name, source] of operatorViews) views.set(name, source);
  // A login page under another name without its own file uses the built-in view.
  if (!views.has(loginView)) views.set(loginView, views.get('login') as string);
  return { sources: views, haveOwn: operatorViews.size > 0 };
}

function readFolder(dir: string): Map<string, string> {
  const files = new Set(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/')),
  );
  const views = new Map<string, string>();
  for (const file of files) {
    const name = nameOf(file);
    if (name === undefined || views.has(name)) continue;
    const chosen = extensions.map((extension) => name + extension).find((candidate) => files.has(candidate)) as string;
    const path = join(dir, chosen);
    const source = readFileSync(path, 'utf8');
    rejectServerCode(path, source);
    views.set(name, source);
  }
  return views;
}

const nameOf = (file: string): string | undefined => /^(.+?)(\.html|\.blade\.php|\.php)$/.exec(file)?.[1];

function rejectServerCode(path: string, source: string): void {
  for (const { pattern, description } of foreignCode) {
    const match = pattern.exec(source);
    if (!match) continue;
    const line = source.slice(0, match.index).split('\n').length;
    throw new OperatorError(
      `${path}: line ${line} contains ${description}. Gatehouse does not run PHP, and serving the file would show your code to everybody. ` +
        'Write the view in HTML with Liquid, such as {{ product }} and {% if error %}…{% endif %} (docs/views.md), or move the file out of VIEWS_DIR.',
    );
  }
}
