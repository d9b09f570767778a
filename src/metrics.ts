import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { DurationHistogram } from './durations.ts';

/** The figures that `/metrics` shows. Features count here; the HTTP layer publishes. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // Plain numbers: the lookup is part of every request.
  const tokenLookups = { hit: 0, miss: 0 };
  new Counter({
    name: 'gatehouse_token_cache_total',
    help: 'Lookups of verified tokens',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(tokenLookups)) this.inc({ result }, count);
    },
  });
  return {
    registry,
    tokenLookups,
    requestDuration: new DurationHistogram(
      'gatehouse_http_request_duration_seconds',
      'Time to answer a request, by route',
      registry,
    ),
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
