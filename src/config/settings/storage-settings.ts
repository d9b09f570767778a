import { isPostgresUrl, percentEncode } from './server-url.ts';
import { integer, list, oneOf, text, where } from './setting.ts';

/** Where the service keeps things. */
export const storageSettings = {
  dataDir: text('DATA_DIR', './data', 'where the database, keys and unsent mail are kept'),
  databaseUrl: where(
    text('DATABASE_URL', '', 'the database; unset: SQLite in DATA_DIR', {
      takes: `sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME${percentEncode}`,
      secret: true,
    }),
    (url) => /^sqlite:.+$/.test(url) || isPostgresUrl(url),
  ),
  databaseListenUrl: where(
    text(
      'DATABASE_LISTEN_URL',
      '',
      'the same database past a pooler by transaction (PgBouncer), for the invalidations of other instances',
      { takes: `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME${percentEncode}`, secret: true },
    ),
    isPostgresUrl,
  ),
  databaseReplicaUrls: {
    ...list<string>(
      'DATABASE_REPLICA_URLS',
      [],
      'copies of the PostgreSQL database (hot standbys) that lists and rows of your resources are read from',
      `a list of postgres://USER:PASSWORD@HOST:PORT/NAME${percentEncode}`,
      isPostgresUrl,
    ),
    secret: true,
  },
  databasePoolSize: integer('DATABASE_POOL_SIZE', 10, 'PostgreSQL connections of one instance', 1, 1000),
  readTimeout: integer('READ_TIMEOUT', 5, 'seconds that one read of the database may take, then it is 503', 1, 3600),
  encryptionKey: text('ENCRYPTION_KEY', '', 'seals the private keys in the database; the same on every instance', {
    takes: 'at least 16 characters, such as the output of: openssl rand -base64 32',
    pattern: /^.{16,}$/s,
    secret: true,
  }),
  previousEncryptionKey: text(
    'PREVIOUS_ENCRYPTION_KEY',
    '',
    'the ENCRYPTION_KEY before: opens what it sealed, which is then sealed anew',
    { takes: 'at least 16 characters', pattern: /^.{16,}$/s, secret: true },
  ),
  eventRetentionDays: integer('EVENT_RETENTION_DAYS', 365, 'days that the audit trail is kept', 1, 36_500),
  eventsLog: text('EVENTS_LOG', '', 'writes each event of the audit trail as a line of JSON, for a SIEM', {
    takes: 'file:PATH, syslog: (this machine), or syslog://HOST:PORT, syslog+tcp://HOST:PORT, syslog+tls://HOST:PORT',
    pattern: /^(file:.+|syslog:|syslog(\+tcp|\+tls)?:\/\/(\[[\da-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?)$/,
  }),
  changesRetention: integer(
    'CHANGES_RETENTION',
    604_800,
    'seconds that changes of resources are kept, for GET /v1/changes',
    60,
    315_360_000,
  ),
  streamsPerCaller: integer(
    'STREAMS_PER_CALLER',
    100,
    'streams of changes that one caller may have open at one instance',
    1,
    1_000_000,
  ),
  logLevel: oneOf(
    'LOG_LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
    'how much is logged',
  ),
} as const;
