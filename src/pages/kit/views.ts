import { createRequire } from 'node:module';
import type { Template } from 'liquidjs';
import type { Config } from '../../config/config.ts';
import type { Languages } from '../../config/languages/languages.ts';
import { addMessages, type LiquidModule } from '../../config/languages/liquid-messages.ts';
import { OperatorError, reasonOf } from '../../platform/errors.ts';
import { readViews } from './view-files.ts';

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
