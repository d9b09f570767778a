import type { Context } from '../context.ts';
import type { App } from './server.ts';

const open = { auth: 'public', limited: false } as const;

export interface ReadinessCheck {
  readonly name: string;
  /** Throws when the part is not ready. */
  check(): Promise<void>;
}

/** `/health/live`: the process answers. `/health/ready`: so does everything it needs. `/metrics`: the figures. */
export function serveHealth(app: App, { database, metrics, log }: Context, checks: readonly ReadinessCheck[]): void {
  app.get('/health/live', { config: open, schema: { hide: true } }, async () => ({ status: 'ok' }));

  app.get('/health/ready', { config: open, schema: { hide: true } }, async (_request, reply) => {
    const results: Record<string, string> = {};
    for (const { name, check } of [{ name: 'database', check: () => database.ping() }, ...checks]) {
      results[name] = await check().then(
        () => 'ok',
        (error: Error) => {
          log.warn({ part: name, err: error }, 'not ready');
          return 'not ready';
        },
      );
    }
    const ready = Object.values(results).every((result) => result === 'ok');
    if (!ready) reply.code(503).header('retry-after', '5');
    return { status: ready ? 'ok' : 'not ready', checks: results };
  });

  app.get('/metrics', { config: open, schema: { hide: true } }, async (_request, reply) => {
    const { total, idle, waiting } = database.connections();
    metrics.databaseConnections.set({ state: 'total' }, total);
    metrics.databaseConnections.set({ state: 'idle' }, idle);
    metrics.databaseConnections.set({ state: 'waiting' }, waiting);
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}
