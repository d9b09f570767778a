import { importFile, modulesIn } from '../../config/import-file.ts';
import { OperatorError } from '../../platform/errors.ts';
import { asObject } from '../../platform/is-object.ts';
import { checkDeclaredRoute } from './check-routes.ts';
import type { DeclaredRoute } from './define-route.ts';

export type Loaded = DeclaredRoute & { readonly file: string };

export async function loadRoutes(dir: string): Promise<Loaded[]> {
  const loaded: Loaded[] = [];
  const problems: string[] = [];
  for (const file of modulesIn(dir, { recursive: true })) {
    const exported = await importFile(file);
    const declared = Object.values(exported).filter(isDeclared);
    if (declared.length === 0 || ('default' in exported && !isDeclared(exported.default))) {
      throw new OperatorError(`${file}: it must \`export default defineRoute({ … })\` or definePage({ … }).`);
    }
    for (const each of declared) {
      for (const mistake of checkDeclaredRoute(each)) problems.push(`${file}: ${mistake}`);
      loaded.push({ ...each, file });
    }
  }
  if (problems.length > 0) throw new OperatorError(`Routes are wrong:\n  ${problems.join('\n  ')}`);
  return loaded;
}

function isDeclared(value: unknown): value is DeclaredRoute {
  const { kind, route, page } = asObject(value);
  return (kind === 'route' && typeof route === 'object') || (kind === 'page' && typeof page === 'object');
}
