import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The figures that `/metrics` shows. Features count here; the HTTP layer publishes. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requestDuration: new Histogram({
      name: 'gatehouse_http_request_duration_seconds',
      help: 'Time to answer a request, by route',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    logins: new Counter({
      name: 'gatehouse_logins_total',
      help: 'Sign-ins by result',
      labelNames: ['result'],
      registers,
    }),
    tokensIssued: new Counter({
      name: 'gatehouse_tokens_issued_total',
      help: 'Access tokens issued, by grant',
      labelNames: ['grant'],
      registers,
    }),
    refreshes: new Counter({
      name: 'gatehouse_refreshes_total',
      help: 'Refreshes by result',
      labelNames: ['result'],
      registers,
    }),
    revocations: new Counter({
      name: 'gatehouse_revocations_total',
      help: 'Sessions ended, by cause',
      labelNames: ['cause'],
      registers,
    }),
    tokenCache: new Counter({
      name: 'gatehouse_token_cache_total',
      help: 'Lookups of verified tokens',
      labelNames: ['result'],
      registers,
    }),
    databaseConnections: new Gauge({
      name: 'gatehouse_database_connections',
      help: 'Database connections by state',
      labelNames: ['state'],
      registers,
    }),
    passwordQueue: new Gauge({
      name: 'gatehouse_password_queue',
      help: 'Passwords being hashed or waiting',
      registers,
    }),
    mailQueue: new Gauge({ name: 'gatehouse_mail_queue', help: 'Mail waiting to be sent', registers }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
