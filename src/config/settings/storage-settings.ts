import { isPostgresUrl, percentEncode } from './server-url.ts';
import { integer, list, oneOf, text } from './setting.ts';

/** Database, keys, retention and logs. */
export const storageSettings = {
  dataDir: text('./data').describe('the folder for the database, the keys and unsent mail'),
  databaseUrl: text(
    '',
    `sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME${percentEncode}`,
    (url) => /^sqlite:.+$/.test(url) || isPostgresUrl(url),
  ).describeSecret('the URL of the database. Unset: SQLite in DATA_DIR'),
  databaseListenUrl: text(
    '',
    `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME${percentEncode}`,
    isPostgresUrl,
  ).describeSecret(
    'the URL of the same database without the transaction pooler (PgBouncer). Each instance listens there for invalidations from other instances',
  ),
  databaseReplicaUrls: list<string>(
    [],
    `a list of postgres://USER:PASSWORD@HOST:PORT/NAME${percentEncode}`,
    isPostgresUrl,
  ).describeSecret(
    'the URLs of read replicas (PostgreSQL hot standbys). The service reads lists and rows of your resources from them',
  ),
  databasePoolSize: integer(10, 1, 1000).describe('the number of PostgreSQL connections of one instance'),
  readTimeout: integer(5, 1, 3600).describe(
    'the number of seconds that one database read may take. After that the response is 503',
  ),
  encryptionKey: text(
    '',
    'at least 16 characters, such as the output of: openssl rand -base64 32',
    /^.{16,}$/s,
  ).describeSecret('encrypts the private keys and other secrets in the database. Use the same value on every instance'),
  previousEncryptionKey: text('', 'at least 16 characters', /^.{16,}$/s).describeSecret(
    'the earlier ENCRYPTION_KEY. At startup, the service decrypts the encrypted values in the database with this key and encrypts them again with ENCRYPTION_KEY',
  ),
  eventRetentionDays: integer(365, 1, 36_500).describe(
    'the number of days for which the service keeps events of the audit trail',
  ),
  eventsLog: text(
    '',
    'file:PATH, syslog: (this machine), or syslog://HOST:PORT, syslog+tcp://HOST:PORT, syslog+tls://HOST:PORT',
    /^(file:.+|syslog:|syslog(\+tcp|\+tls)?:\/\/(\[[\da-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?)$/,
  ).describe('where the service also writes each event of the audit trail, as a line of JSON (for a SIEM)'),
  changesRetention: integer(604_800, 60, 315_360_000).describe(
    'the number of seconds for which the service keeps changes of resources (GET /v1/changes)',
  ),
  streamsPerCaller: integer(100, 1, 1_000_000).describe(
    'the number of change streams that one caller can have open at one instance',
  ),
  logLevel: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info').describe(
    'the lowest level of log lines that the service writes',
  ),
} as const;
