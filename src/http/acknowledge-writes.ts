import type { Context } from '../database/context.ts';
import type { App } from './app.ts';
import { RequestReader } from './request-reader.ts';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Before a caller is told that something was done, every instance knows which copies of the database it may be shown. */
export function acknowledgeWrites(app: App, { database }: Context): void {
  const { replicas } = database;
  if (!replicas) return;
  app.addHook('onSend', async (request) => {
    if (reading.has(request.method) || request.caller.kind === 'anonymous') return;
    await replicas.wrote(new RequestReader(request).caller);
  });
}
