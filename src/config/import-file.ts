import { existsSync, readdirSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { codeOf, OperatorError } from '../platform/errors.ts';

const isModule = (name: string): boolean => /\.(ts|mts|js|mjs)$/.test(name) && !/\.(d|test)\.\w+$/.test(name);

/** The modules in a folder of the project, in order. None if the folder does not exist. */
export const modulesIn = (dir: string, { recursive = false } = {}): string[] =>
  existsSync(dir)
    ? readdirSync(dir, { recursive, encoding: 'utf8' })
        .filter(isModule)
        .sort()
        .map((name) => join(dir, name))
    : [];

/** The exports of a file of the project. If it cannot be read, the error names the file, the line and the column. */
export async function importFile(file: string): Promise<Record<string, unknown>> {
  resolveGatehouse();
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    const { describeImportError } = await import('../../extensions/declaration-checks/describe-import-error.ts');
    throw new OperatorError(await describeImportError(file, error, ownFolder));
  }
}

/** The folder with the code of Gatehouse: `src/`, or `dist/` in the package. */
const ownFolder = dirname(dirname(fileURLToPath(import.meta.url)));

let registered = false;

/**
 * Lets files of the operator import `gatehouse-server/…` from any folder. Node finds an installed package first. Otherwise this is
 * the running Gatehouse.
 */
function resolveGatehouse(): void {
  if (registered) return;
  registered = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier !== 'gatehouse-server' && !specifier.startsWith('gatehouse-server/'))
        return nextResolve(specifier, context);
      // `nextResolve` changes the context.
      const importer = context.parentURL;
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
      }
      try {
        return nextResolve(specifier, { ...context, parentURL: import.meta.url });
      } catch (error) {
        throw reportImporter(importer, error as Error);
      }
    },
  });
}

/** Names the importing file in the error instead of this one. */
function reportImporter(importer: string | undefined, error: Error): Error {
  if (importer?.startsWith('file:')) {
    error.message = error.message.replace(fileURLToPath(import.meta.url), () => fileURLToPath(importer));
  }
  return error;
}
