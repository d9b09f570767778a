import type { Context } from '../database/context.ts';
import type { Extension } from './extension.ts';
import type { Services } from './services.ts';

export async function loadExtensions(context: Context, services: Services): Promise<Extension[]> {
  const loaded = await Promise.all([
    import('../../extensions/mcp/extension.ts'),
    ...(context.config.compat === 'off' ? [] : [import('../../extensions/passport/extension.ts')]),
  ]);
  return loaded.map(({ createExtension }) => createExtension(context, services));
}
