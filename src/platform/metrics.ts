import { Counter, collectDefaultMetrics, Gauge, type GaugeConfiguration, Registry } from 'prom-client';

const bucketBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

type Labels = Readonly<Record<string, string>>;

export class Durations {
  readonly labels: Labels;
  readonly counts = new Float64Array(bucketBounds.length + 1);
  sum = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  observe(seconds: number): void {
    const found = bucketBounds.findIndex((bound) => seconds <= bound);
    const bucket = found < 0 ? bucketBounds.length : found;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}

/** A histogram that computes its sums when it is read. prom-client computes them at each request (docs/performance.md). */
class DurationHistogram {
  readonly name: string;
  readonly #help: string;
  readonly #series = new Map<string, Durations>();

  constructor(name: string, help: string, registry: Registry) {
    this.name = name;
    this.#help = help;
    registry.registerMetric(this as never);
  }

  /** The series with these labels. Keep the returned object, because finding it takes longer than counting. */
  series(labels: Labels): Durations {
    const key = JSON.stringify(labels);
    const durations = this.#series.get(key) ?? new Durations(labels);
    this.#series.set(key, durations);
    return durations;
  }

  /** In the form that prom-client's registry prints. */
  async get() {
    const values = [...this.#series.values()].flatMap(({ labels, counts, sum }) => {
      let total = 0;
      const buckets = [...counts].map((count, i) => {
        total += count;
        const le = i < bucketBounds.length ? bucketBounds[i] : '+Inf';
        return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: total };
      });
      return [
        ...buckets,
        { metricName: `${this.name}_sum`, labels, value: sum },
        { metricName: `${this.name}_count`, labels, value: total },
      ];
    });
    return { name: this.name, help: this.#help, type: 'histogram', values, aggregator: 'sum' };
  }
}

/**
 * A counter with one label. It passes plain sums to prom-client when they are read, because prom-client would look up
 * its labels at each request.
 */
function countByLabel<L extends string>(registry: Registry, name: string, help: string, label: L) {
  const counts = new Map<string, number>();
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, count] of counts) this.inc({ [label]: value } as Record<L, string>, count);
    },
  });
  return {
    counts,
    inc(labels: Readonly<Record<L, string>>, amount = 1): void {
      const value = labels[label];
      counts.set(value, (counts.get(value) ?? 0) + amount);
    },
  };
}

let processMetrics: Registry | undefined;

/**
 * The default metrics of prom-client describe the process. They start a timer and an observer that never end, so all services of a process
 * share them. Each read resets the lag of the event loop.
 */
function registryWithProcessMetrics(): Registry {
  if (!processMetrics) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
    // An average would hide one worker that is blocked.
    Object.assign(processMetrics.getSingleMetric('nodejs_eventloop_lag_p99_seconds') ?? {}, { aggregator: 'max' });
  }
  return Registry.merge([processMetrics]);
}

/** The metrics of `/metrics`. Features count here, and the HTTP layer publishes them. */
export function createMetrics(build?: { readonly version: string; readonly engine: string }) {
  const registry = registryWithProcessMetrics();
  // With workers, `aggregator` defines how their values are combined: `max` if every worker counts the same thing.
  const gauge = <L extends string = string>(
    name: string,
    help: string,
    options: Omit<GaugeConfiguration<L>, 'name' | 'help' | 'registers'> = {},
  ) => new Gauge<L>({ name, help, registers: [registry], ...options });
  if (build) {
    const labelNames = ['version', 'node', 'engine'] as const;
    const info = gauge(
      'gatehouse_build_info',
      'The version, Node and database engine of the service; the value is always 1',
      { aggregator: 'max', labelNames },
    );
    info.set({ ...build, node: process.versions.node }, 1);
  }
  const count = <L extends string>(name: string, help: string, label: L) => countByLabel(registry, name, help, label);
  return {
    registry,
    gauge,
    tokenLookups: count('gatehouse_token_cache_total', 'Lookups in the cache of verified tokens', 'result'),
    requestDuration: new DurationHistogram(
      'gatehouse_http_request_duration_seconds',
      'Time to respond to a request, by route',
      registry,
    ),
    logins: count('gatehouse_logins_total', 'Sign-ins by result', 'result'),
    registrations: count('gatehouse_registrations_total', 'Users created, by method', 'how'),
    tokensIssued: count('gatehouse_tokens_issued_total', 'Access tokens issued, by grant', 'grant'),
    clientRegistrations: count(
      'gatehouse_client_registrations_total',
      'Applications that registered themselves, or that a metadata document describes',
      'kind',
    ),
    deviceAuthorizations: count(
      'gatehouse_device_authorizations_total',
      'Device authorization requests and decisions',
      'result',
    ),
    authorizations: count('gatehouse_authorizations_total', 'Authorization responses, by result', 'result'),
    authorizationCodes: count(
      'gatehouse_authorization_codes_total',
      'Authorization codes exchanged, by result',
      'result',
    ),
    refreshes: count('gatehouse_refreshes_total', 'Refreshes by result', 'result'),
    revocations: count('gatehouse_revocations_total', 'Sessions ended, by cause', 'cause'),
    // The minimum, so that one worker that cannot write is visible.
    ready: gauge('gatehouse_ready', 'Whether each part was ready at its last check', {
      aggregator: 'min',
      labelNames: ['part'],
    }),
    workers: gauge('gatehouse_workers', 'Processes that serve'),
    workersConfigured: gauge('gatehouse_workers_configured', 'Processes that should serve', { aggregator: 'max' }),
    databaseConnections: gauge('gatehouse_database_connections', 'Database connections by state', {
      labelNames: ['state'],
    }),
    databaseReplicas: gauge('gatehouse_database_replicas', 'Replicas of the database by state', {
      labelNames: ['state'],
    }),
    passwordQueue: gauge('gatehouse_password_queue', 'Passwords being hashed or waiting'),
    jobs: gauge('gatehouse_jobs', 'Queued jobs by state', { aggregator: 'max', labelNames: ['state'] }),
    jobAttempts: count('gatehouse_job_attempts_total', 'Attempts at queued jobs, by result', 'result'),
    mailQueue: gauge('gatehouse_mail_queue', 'Emails waiting to be sent', { aggregator: 'max' }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
