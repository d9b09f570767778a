import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../errors.ts';
import { importFile } from '../import-file.ts';
import { complaintsAbout } from './check-routes.ts';
import type { Declared } from './define-route.ts';

/** A declared route or page, and the file that declares it. */
export type Loaded = Declared & { readonly file: string };

const isDeclaration = (name: string): boolean => /\.(ts|js|mjs)$/.test(name) && !/\.(d|test)\.\w+$/.test(name);

/** Every file of the folder exports one or more, by default or by name. No folder: no routes of one's own. */
export async function loadRoutes(dir: string): Promise<Loaded[]> {
  if (!existsSync(dir)) return [];
  const loaded: Loaded[] = [];
  for (const name of (readdirSync(dir, { recursive: true }) as string[]).filter(isDeclaration).sort()) {
    const file = join(dir, name);
    const declared = Object.values(await importFile(file)).filter(isDeclared);
    if (declared.length === 0) {
      throw new OperatorError(`${file}: it must \`export default defineRoute({ … })\` or definePage({ … }).`);
    }
    for (const each of declared) {
      const complaints = complaintsAbout(each);
      if (complaints.length > 0) throw new OperatorError(`${file}:\n  ${complaints.join('\n  ')}`);
      loaded.push({ ...each, file });
    }
  }
  return loaded;
}

function isDeclared(value: unknown): value is Declared {
  const { kind, route, page } = (value ?? {}) as { kind?: unknown; route?: unknown; page?: unknown };
  return (kind === 'route' && typeof route === 'object') || (kind === 'page' && typeof page === 'object');
}
