import type { Context } from '../database/context.ts';
import type { App } from './app.ts';

const timeoutMs = 2000;
const publicRoute = { auth: 'public', limited: false } as const;

interface ReadinessCheck {
  readonly name: string;
  check(): Promise<void>;
}

/** If a connection was dropped silently, the check would never end. */
async function withTimeout(check: Promise<void>): Promise<void> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs} ms`)), timeoutMs).unref();
  await Promise.race([check, timeout]).finally(() => clearTimeout(timer));
}

/** The checks of the service itself. Without the lease, every request queries the database. */
function builtinChecks({ database, otherWorkers }: Context): ReadinessCheck[] {
  const probes = Object.entries(database.probes).map(([name, check]) => ({ name, check }));
  const lease = async () => {
    if (!database.bus.isCacheUsable()) throw new Error('this instance does not receive the invalidations of others');
  };
  const workers = async () => {
    if (otherWorkers && otherWorkers.unresponsive > 0)
      throw new Error(`unresponsive workers: ${otherWorkers.unresponsive}`);
  };
  return [...probes, { name: 'lease', check: lease }, ...(otherWorkers ? [{ name: 'workers', check: workers }] : [])];
}

/** Callers during a run share its result. */
function shareRuns<T>(run: () => Promise<T>): () => Promise<T> {
  let currentRun: Promise<T> | undefined;
  return () => {
    currentRun ??= run().finally(() => {
      currentRun = undefined;
    });
    return currentRun;
  };
}

/** Runs all checks at once. */
function createCheckRunner({ log, metrics }: Context, checks: readonly ReadinessCheck[]) {
  const runCheck = async ({ name, check }: ReadinessCheck) => {
    try {
      await withTimeout(check());
      metrics.ready.set({ part: name }, 1);
      return [name, 'ok'];
    } catch (error) {
      metrics.ready.set({ part: name }, 0);
      log.warn({ part: name, err: error }, 'not ready');
      return [name, 'not ready'];
    }
  };
  return shareRuns<Record<string, string>>(async () => Object.fromEntries(await Promise.all(checks.map(runCheck))));
}

export interface Health {
  /** Makes the service permanently not ready. */
  drain(): void;
  /** Updates the metrics that are not counters. Does not wait for the readiness checks, because one may hang. */
  refreshMetrics(): void;
}

/** Serves `/health/live`, `/health/ready` and `/metrics`. */
export function serveHealth(app: App, context: Context, checks: readonly ReadinessCheck[]): Health {
  const { config, database, metrics, otherWorkers } = context;
  const runCheck = createCheckRunner(context, [...builtinChecks(context), ...checks]);
  let draining = false;
  app.get('/health/live', { config: publicRoute, schema: { hide: true } }, async () => ({ status: 'ok' }));

  app.get('/health/ready', { config: publicRoute, schema: { hide: true } }, async (_request, reply) => {
    const results = draining ? { draining: 'not ready' } : await runCheck();
    const ready = Object.values(results).every((result) => result === 'ok');
    if (!ready) reply.code(503).header('retry-after', '5');
    // Without replicas, the service reads from the primary and stays ready.
    const replicas = database.replicas?.state();
    return { status: ready ? 'ok' : 'not ready', checks: results, ...(replicas ? { replicas } : {}) };
  });

  metrics.workers.set(1);
  metrics.workersConfigured.set(otherWorkers ? config.workers : 1);
  const refreshMetrics = () => {
    recordConnections(context);
    void runCheck();
  };
  const readMetrics = () => {
    refreshMetrics();
    return metrics.registry;
  };
  otherWorkers?.provideMetrics(() => readMetrics().getMetricsAsJSON());
  // With a series for each route, method and status, the workers need a fraction of a second for one sum.
  const readText = shareRuns(() => (otherWorkers ? otherWorkers.aggregatedMetrics() : readMetrics().metrics()));
  app.get('/metrics', { config: publicRoute, schema: { hide: true } }, async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await readText()),
  );

  const drain = () => {
    draining = true;
  };
  return { drain, refreshMetrics };
}

function recordConnections({ database, metrics }: Context): void {
  for (const [state, count] of Object.entries(database.connections()))
    metrics.databaseConnections.set({ state }, count);
  const replicas = database.replicas?.state();
  if (!replicas) return;
  metrics.databaseReplicas.set({ state: 'used' }, replicas.usable);
  metrics.databaseReplicas.set({ state: 'left out' }, replicas.of - replicas.usable);
}
