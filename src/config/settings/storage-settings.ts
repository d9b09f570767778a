import { isPostgresUrl, percentEncode } from './server-url.ts';
import { integer, list, oneOf, text, withCondition } from './setting.ts';

/** Database, keys, retention and logs. */
export const storageSettings = {
  dataDir: text('DATA_DIR', './data', 'the folder for the database, the keys and unsent mail'),
  databaseUrl: withCondition(
    text('DATABASE_URL', '', 'the URL of the database. Unset: SQLite in DATA_DIR', {
      expected: `sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME${percentEncode}`,
      secret: true,
    }),
    (url) => /^sqlite:.+$/.test(url) || isPostgresUrl(url),
  ),
  databaseListenUrl: withCondition(
    text(
      'DATABASE_LISTEN_URL',
      '',
      'the URL of the same database without the transaction pooler (PgBouncer). Each instance listens there for invalidations from other instances',
      { expected: `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME${percentEncode}`, secret: true },
    ),
    isPostgresUrl,
  ),
  databaseReplicaUrls: {
    ...list<string>(
      'DATABASE_REPLICA_URLS',
      [],
      'the URLs of read replicas (PostgreSQL hot standbys). The service reads lists and rows of your resources from them',
      `a list of postgres://USER:PASSWORD@HOST:PORT/NAME${percentEncode}`,
      isPostgresUrl,
    ),
    secret: true,
  },
  databasePoolSize: integer('DATABASE_POOL_SIZE', 10, 'the number of PostgreSQL connections of one instance', 1, 1000),
  readTimeout: integer(
    'READ_TIMEOUT',
    5,
    'the number of seconds that one database read may take. After that the response is 503',
    1,
    3600,
  ),
  encryptionKey: text(
    'ENCRYPTION_KEY',
    '',
    'encrypts the private keys in the database. Use the same value on every instance',
    {
      expected: 'at least 16 characters, such as the output of: openssl rand -base64 32',
      pattern: /^.{16,}$/s,
      secret: true,
    },
  ),
  previousEncryptionKey: text(
    'PREVIOUS_ENCRYPTION_KEY',
    '',
    'the former ENCRYPTION_KEY. The service decrypts the keys with it and encrypts them again with the new one',
    { expected: 'at least 16 characters', pattern: /^.{16,}$/s, secret: true },
  ),
  eventRetentionDays: integer(
    'EVENT_RETENTION_DAYS',
    365,
    'the number of days for which the service keeps events of the audit trail',
    1,
    36_500,
  ),
  eventsLog: text(
    'EVENTS_LOG',
    '',
    'where the service also writes each event of the audit trail, as a line of JSON (for a SIEM)',
    {
      expected:
        'file:PATH, syslog: (this machine), or syslog://HOST:PORT, syslog+tcp://HOST:PORT, syslog+tls://HOST:PORT',
      pattern: /^(file:.+|syslog:|syslog(\+tcp|\+tls)?:\/\/(\[[\da-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?)$/,
    },
  ),
  changesRetention: integer(
    'CHANGES_RETENTION',
    604_800,
    'the number of seconds for which the service keeps changes of resources (GET /v1/changes)',
    60,
    315_360_000,
  ),
  streamsPerCaller: integer(
    'STREAMS_PER_CALLER',
    100,
    'the number of change streams that one caller can have open at one instance',
    1,
    1_000_000,
  ),
  logLevel: oneOf(
    'LOG_LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
    'the lowest level of log lines that the service writes',
  ),
} as const;
