import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../config/import-file.ts';
import { OperatorError } from '../../platform/errors.ts';
import { complaintsAbout } from './check-routes.ts';
import type { Declared } from './define-route.ts';

/** A declared route or page, and the file that declares it. */
export type Loaded = Declared & { readonly file: string };

const isDeclaration = (name: string): boolean => /\.(ts|mts|js|mjs)$/.test(name) && !/\.(d|test)\.\w+$/.test(name);

/** Every file of the folder exports one or more, by default or by name. No folder: no routes of one's own. */
export async function loadRoutes(dir: string): Promise<Loaded[]> {
  if (!existsSync(dir)) return [];
  const loaded: Loaded[] = [];
  const problems: string[] = [];
  for (const name of (readdirSync(dir, { recursive: true }) as string[]).filter(isDeclaration).sort()) {
    const file = join(dir, name);
    const exported = await importFile(file);
    const declared = Object.values(exported).filter(isDeclared);
    if (declared.length === 0 || ('default' in exported && !isDeclared(exported.default))) {
      throw new OperatorError(`${file}: it must \`export default defineRoute({ … })\` or definePage({ … }).`);
    }
    for (const each of declared) {
      for (const complaint of complaintsAbout(each)) problems.push(`${file}: ${complaint}`);
      loaded.push({ ...each, file });
    }
  }
  if (problems.length > 0) throw new OperatorError(`Routes are wrong:\n  ${problems.join('\n  ')}`);
  return loaded;
}

function isDeclared(value: unknown): value is Declared {
  const { kind, route, page } = (value ?? {}) as { kind?: unknown; route?: unknown; page?: unknown };
  return (kind === 'route' && typeof route === 'object') || (kind === 'page' && typeof page === 'object');
}
