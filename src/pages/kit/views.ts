import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import type { Template } from 'liquidjs';
import type { Config } from '../../config/config.ts';
import { extensionFolders } from '../../config/extension-folders.ts';
import type { Languages } from '../../config/languages/languages.ts';
import { addMessages, type LiquidModule } from '../../config/languages/liquid-messages.ts';
import { OperatorError, reasonOf } from '../../platform/errors.ts';

export type Variables = Record<string, unknown>;

/** `variables` are visible only in the view, `globals` also in its layout and partials. All output is escaped. */
type Render = (name: string, variables: Variables, globals: Variables) => string;

/** Reads all views at the start. If the operator has views, they are parsed then, so that an invalid view stops the start. */
export function createViews({ viewsDir, loginPageUrl }: Config, languages: Languages) {
  const { sources, haveOwn } = readViews(viewsDir, loginPageUrl);
  let render = haveOwn ? parseViews(sources, languages) : undefined;
  return {
    has: (name: string) => sources.has(name),
    render(...view: Parameters<Render>) {
      render ??= parseViews(sources, languages);
      return render(...view);
    },
  };
}

function parseViews(sources: ReadonlyMap<string, string>, languages: Languages): Render {
  const liquidjs = createRequire(import.meta.url)('liquidjs') as LiquidModule;
  const liquid = new liquidjs.Liquid({
    templates: Object.fromEntries(sources),
    outputEscape: 'escape',
    strictFilters: true,
    ownPropertyOnly: true,
    timezoneOffset: 0,
    cache: true,
  });
  addMessages(liquid, liquidjs, languages, { markup: true });
  const parsed = new Map<string, Template[]>();
  for (const [name, source] of sources) {
    try {
      parsed.set(name, liquid.parse(source, name));
    } catch (error) {
      throw new OperatorError(`The view "${name}" could not be read: ${reasonOf(error)}`);
    }
  }
  return (name, variables, globals) => {
    const view = parsed.get(name);
    if (!view) throw new Error(`there is no view named ${name}`);
    return liquid.renderSync(view, variables, { globals });
  };
}

/** In this order: the first existing file is the view. */
const extensions = ['.html', '.php', '.blade.php'] as const;

/** The folders of the built-in views. No two have a view with the same name. */
export const builtInViews = (): string[] => [join(import.meta.dirname, '../views'), ...extensionFolders('views')];

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
function readViews(viewsDir: string, loginView: string) {
  const views = new Map(builtInViews().flatMap((folder) => [...readFolder(folder)]));
  const operatorViews = existsSync(viewsDir) ? readFolder(viewsDir) : new Map<string, string>();
  for (const [name, source] of operatorViews) views.set(name, source);
  // A login page under another name without its own file uses the built-in view.
  const login = views.get('login');
  if (login !== undefined && !views.has(loginView)) views.set(loginView, login);
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
    const chosen = extensions.map((extension) => name + extension).find((candidate) => files.has(candidate)) ?? file;
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
