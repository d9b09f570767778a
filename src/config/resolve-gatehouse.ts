import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../platform/errors.ts';

let registered = false;

/**
 * Lets files of the operator import `gatehouse-server/…` from any folder. Node finds an installed package first. Otherwise this is
 * the running Gatehouse.
 */
export function resolveGatehouse(): void {
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
