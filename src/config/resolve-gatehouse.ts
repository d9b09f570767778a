import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../platform/errors.ts';

let registered = false;

/**
 * Lets files of an operator's import `gatehouse/…` wherever they lie. Where a folder above them has installed the package, that one is
 * taken, as Node does it; elsewhere it is the Gatehouse that runs, found by its own name.
 */
export function resolveGatehouse(): void {
  if (registered) return;
  registered = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier !== 'gatehouse-server' && !specifier.startsWith('gatehouse-server/'))
        return nextResolve(specifier, context);
      // The context is one for the whole chain: what the next is handed is written into it.
      const importer = context.parentURL;
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
      }
      try {
        return nextResolve(specifier, { ...context, parentURL: import.meta.url });
      } catch (error) {
        throw asOf(importer, error as Error);
      }
    },
  });
}

/** The error names the file that imports, which is not this one. */
function asOf(importer: string | undefined, error: Error): Error {
  if (importer?.startsWith('file:')) {
    error.message = error.message.replace(fileURLToPath(import.meta.url), () => fileURLToPath(importer));
  }
  return error;
}
