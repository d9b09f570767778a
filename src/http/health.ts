import type { Context } from '../context.ts';
import type { App } from './app.ts';

const timeoutMs = 2000;
const open = { auth: 'public', limited: false } as const;

interface ReadinessCheck {
  readonly name: string;
  /** Throws when the part is not ready. */
  check(): Promise<void>;
}

/** A part that is cut off without a word never answers. */
async function inTime(check: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  await Promise.race([check, late]).finally(() => clearTimeout(timer));
}

/** While it does not hold, every request asks the database. */
export const leaseCheck = ({ database }: Context): ReadinessCheck => ({
  name: 'lease',
  async check() {
    if (!database.bus.cacheUsable()) throw new Error('the news of other instances are not heard');
  },
});

/**
 * `/health/live`: the process answers. `/health/ready`: so does everything it needs. `/metrics`: the figures. Returns what
 * makes it not ready for good, because it is about to stop.
 */
export function serveHealth(
  app: App,
  { database, metrics, log }: Context,
  checks: readonly ReadinessCheck[],
): () => void {
  let draining = false;
  app.get('/health/live', { config: open, schema: { hide: true } }, async () => ({ status: 'ok' }));

  app.get('/health/ready', { config: open, schema: { hide: true } }, async (_request, reply) => {
    if (draining) {
      reply.code(503).header('retry-after', '5');
      return { status: 'not ready', checks: { draining: 'not ready' } };
    }
    const parts = [{ name: 'database', check: () => database.ping() }, ...checks].map(async ({ name, check }) => {
      try {
        await inTime(check());
        return [name, 'ok'];
      } catch (error) {
        log.warn({ part: name, err: error }, 'not ready');
        return [name, 'not ready'];
      }
    });
    const results: Record<string, string> = Object.fromEntries(await Promise.all(parts));
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

  return () => {
    draining = true;
  };
}
