import { Liquid, type Template } from 'liquidjs';
import type { Config } from '../config.ts';
import { OperatorError } from '../errors.ts';
import { readViews } from './view-files.ts';

export type Variables = Record<string, unknown>;

export interface Views {
  /** `variables` are the view's own; `globals` are seen by its layout and its parts too. All output is escaped. */
  render(name: string, variables: Variables, globals: Variables): string;
}

/** Reads and parses every view at start, so that a broken one stops the start and not a visitor. */
export function createViews({ viewsDir, loginPageUrl }: Config): Views {
  const sources = readViews(viewsDir, loginPageUrl);
  const liquid = new Liquid({
    templates: Object.fromEntries(sources),
    outputEscape: 'escape',
    strictFilters: true,
    ownPropertyOnly: true,
    timezoneOffset: 0,
    cache: true,
  });
  const parsed = new Map<string, Template[]>();
  for (const [name, source] of sources) {
    try {
      parsed.set(name, liquid.parse(source, name));
    } catch (error) {
      throw new OperatorError(
        `The view "${name}" could not be read: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
  return {
    render(name, variables, globals) {
      const view = parsed.get(name);
      if (!view) throw new Error(`there is no view named ${name}`);
      return liquid.renderSync(view, variables, { globals }) as string;
    },
  };
}
