import { normaliseEmail } from './email-address.ts';

/** One setting: its environment variable, what it takes, and how a value is read. */
export interface Setting<T> {
  readonly env: string;
  readonly default: T;
  /** Ends the sentence "it takes …". */
  readonly takes: string;
  readonly about: string;
  /** A value that no message, log or command may print. */
  readonly secret: boolean;
  parse(value: unknown): { ok: true; value: T } | { ok: false };
}

const ok = <T>(value: T) => ({ ok: true as const, value });
const wrong = { ok: false as const };

function text(
  env: string,
  fallback: string,
  about: string,
  options: { takes?: string; pattern?: RegExp; secret?: boolean } = {},
): Setting<string> {
  return {
    env,
    default: fallback,
    about,
    takes: options.takes ?? 'text',
    secret: options.secret ?? false,
    parse: (value) => (typeof value === 'string' && (options.pattern ?? /./s).test(value) ? ok(value) : wrong),
  };
}

function email(env: string, fallback: string, about: string): Setting<string> {
  return {
    ...text(env, fallback, about, { takes: 'an email address' }),
    parse(value) {
      const address = typeof value === 'string' ? normaliseEmail(value.trim()) : undefined;
      return address === undefined ? wrong : ok(address);
    },
  };
}

function integer(env: string, fallback: number, about: string, min: number, max: number): Setting<number> {
  return {
    env,
    default: fallback,
    about,
    takes: `a whole number from ${min} to ${max}`,
    secret: false,
    parse(value) {
      const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
      return typeof number === 'number' && Number.isSafeInteger(number) && number >= min && number <= max
        ? ok(number)
        : wrong;
    },
  };
}

function flag(env: string, fallback: boolean, about: string): Setting<boolean> {
  const words = new Map<unknown, boolean>([
    [true, true],
    ['true', true],
    ['1', true],
    ['yes', true],
    ['on', true],
    [false, false],
    ['false', false],
    ['0', false],
    ['no', false],
    ['off', false],
  ]);
  return {
    env,
    default: fallback,
    about,
    takes: 'true or false',
    secret: false,
    parse(value) {
      const read = words.get(typeof value === 'string' ? value.toLowerCase() : value);
      return read === undefined ? wrong : ok(read);
    },
  };
}

function oneOf<const T extends string>(env: string, values: readonly T[], fallback: T, about: string): Setting<T> {
  return {
    env,
    default: fallback,
    about,
    takes: `one of ${values.join(', ')}`,
    secret: false,
    parse: (value) => (values.includes(value as T) ? ok(value as T) : wrong),
  };
}

function list<T extends string>(
  env: string,
  fallback: readonly T[],
  about: string,
  takes: string,
  accepts: (item: string) => boolean,
): Setting<readonly T[]> {
  return {
    env,
    default: fallback,
    about,
    takes,
    secret: false,
    parse(value) {
      const items =
        typeof value === 'string'
          ? value
              .split(',')
              .map((item) => item.trim())
              .filter(Boolean)
          : value;
      const good = Array.isArray(items) && items.every((item) => typeof item === 'string' && accepts(item));
      return good && new Set(items).size === items.length ? ok(Object.freeze([...items]) as readonly T[]) : wrong;
    },
  };
}

const isOrigin = (value: string): boolean => {
  if (value === '*') return false;
  try {
    return new URL(value).origin === value;
  } catch {
    return false;
  }
};

const year = 365 * 86_400;

const folder = { takes: 'a folder that exists' };

/** Every setting there is. A key of this object is a key of `gatehouse.config.ts`. */
export const settings = {
  host: text('HOST', '127.0.0.1', 'the address to listen on', {
    takes: 'a host name or an IP address',
    pattern: /^[\w.:-]+$/,
  }),
  port: integer('PORT', 3000, 'the port to listen on; 0 picks a free one', 0, 65_535),
  baseUrl: text('BASE_URL', '', 'the public address of the service, which tokens name as their issuer', {
    takes: 'an http or https URL without a query, such as https://auth.example.com',
    pattern: /^https?:\/\/[^\s?#/]+(\/[^\s?#]*[^\s?#/])?$/,
  }),
  dataDir: text('DATA_DIR', './data', 'where the database, keys and unsent mail are kept'),
  databaseUrl: text('DATABASE_URL', '', 'the database; unset: SQLite in DATA_DIR', {
    takes: 'sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME',
    pattern: /^(sqlite:.+|postgres(ql)?:\/\/.+)$/,
    secret: true,
  }),
  databasePoolSize: integer('DATABASE_POOL_SIZE', 10, 'PostgreSQL connections of one instance', 1, 1000),
  readTimeout: integer('READ_TIMEOUT', 5, 'seconds that one read of the database may take, then it is 503', 1, 3600),
  logLevel: oneOf(
    'LOG_LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
    'how much is logged',
  ),
  adminEmail: email('ADMIN_EMAIL', 'admin@localhost', 'the first administrator'),
  adminPassword: text(
    'ADMIN_PASSWORD',
    '',
    "the first administrator's password; unset: a random one, shown once on a terminal, else written to DATA_DIR/first-password",
    {
      takes: 'at least 8 characters',
      pattern: /^.{8,}$/s,
      secret: true,
    },
  ),
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
  signingAlgorithm: oneOf('SIGNING_ALGORITHM', ['ES256', 'EdDSA', 'RS256'], 'ES256', 'what new signing keys sign with'),
  loginPageUrl: text('LOGIN_PAGE_URL', 'login', 'the view that people without a session are sent to', {
    takes: 'a view name of letters, digits, - and _, with / between folders',
    pattern: /^[\w-]+(\/[\w-]+)*$/,
  }),
  requireEmailConfirmation: flag(
    'REQUIRE_EMAIL_CONFIRMATION',
    false,
    'whether an unconfirmed user is refused at login',
  ),
  registration: oneOf(
    'REGISTRATION',
    ['open', 'closed'],
    'open',
    'whether people can register themselves; closed: administrators make users',
  ),
  forceAcceptHeader: flag('FORCE_ACCEPT_HEADER', true, 'whether requests under /v1 must take JSON (Accept)'),
  loginAttributes: list<'email' | 'username' | 'phone'>(
    'LOGIN_ATTRIBUTES',
    ['email'],
    'what a user can log in with',
    'a list of email, username, phone',
    (item) => ['email', 'username', 'phone'].includes(item),
  ),
  roles: list(
    'ROLES',
    ['admin'],
    'the roles that a user can have; admin always exists',
    'a list of role names (lowercase letters, digits, - and _)',
    (item) => /^[a-z][a-z0-9_-]{0,31}$/.test(item),
  ),
  accessTokenTtl: integer('ACCESS_TOKEN_TTL', 3600, "an access token's life in seconds", 1, year),
  refreshTokenTtl: integer('REFRESH_TOKEN_TTL', 30 * 86_400, "a refresh token's life in seconds", 1, 10 * year),
  refreshGrace: integer(
    'REFRESH_GRACE',
    10,
    'seconds for which a refresh token still gets its successor after that was first used',
    0,
    300,
  ),
  sessionMaxAge: integer(
    'SESSION_MAX_AGE',
    0,
    'seconds after which a login ends, however often it refreshes; 0: never',
    0,
    10 * year,
  ),
  personalTokenTtl: integer('PERSONAL_TOKEN_TTL', year, "a personal access token's life in seconds", 1, 10 * year),
  eventRetentionDays: integer('EVENT_RETENTION_DAYS', 365, 'days that the audit trail is kept', 1, 36_500),
  eventsLog: text('EVENTS_LOG', '', 'writes each event of the audit trail as a line of JSON, for a SIEM', {
    takes: 'file:PATH, syslog: (this machine), or syslog://HOST:PORT, syslog+tcp://HOST:PORT, syslog+tls://HOST:PORT',
    pattern: /^(file:.+|syslog:|syslog(\+tcp|\+tls)?:\/\/(\[[\da-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?)$/,
  }),
  smtpUrl: text('SMTP_URL', '', 'the mail server; unset: mail is written to DATA_DIR/mail', {
    takes: 'smtp://USER:PASSWORD@HOST:PORT or smtps://…',
    pattern: /^smtps?:\/\/.+$/,
    secret: true,
  }),
  mailFrom: text('MAIL_FROM', 'Gatehouse <gatehouse@localhost>', 'the sender of mail', {
    takes: 'an address, or Name <address>',
    pattern: /^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/,
  }),
  corsOrigins: list<string>(
    'CORS_ORIGINS',
    [],
    'origins of browser applications on other hosts',
    'a list of origins such as https://app.example.com',
    isOrigin,
  ),
  registrationLimit: integer(
    'REGISTRATION_LIMIT',
    200,
    'users that one network may register in an hour; 0: any number',
    0,
    10_000_000,
  ),
  rateLimit: integer('RATE_LIMIT', 600, 'requests a minute for one caller; 0: off', 0, 10_000_000),
  requestTimeout: integer(
    'REQUEST_TIMEOUT',
    30,
    'seconds in which a request must have arrived, its body included',
    1,
    3600,
  ),
  trustProxy: list<string>(
    'TRUST_PROXY',
    [],
    'reverse proxies whose X-Forwarded-* headers are believed',
    'a list of IP addresses or CIDR ranges (or true to trust whoever connects, false to trust none)',
    (item) => /^(true|false|loopback|linklocal|uniquelocal|[\da-fA-F]*[.:][\da-fA-F.:]*(\/\d{1,3})?)$/.test(item),
  ),
  compat: oneOf(
    'COMPAT',
    ['off', 'passport', 'apiato10', 'apiato11', 'apiato12', 'apiato13'],
    'off',
    'answers as the service did that was taken over, where that differs',
  ),
  brandName: text('BRAND_NAME', 'Gatehouse', 'the name on pages, in mail and in the console', {
    takes: '1 to 60 characters on one line',
    pattern: /^[^\p{Cc}\p{Cf}]{1,60}$/u,
  }),
  brandLogo: text('BRAND_LOGO', '', 'a picture for pages, mail and console', {
    takes: 'an https URL, or a file (svg, png, jpg, webp, gif; at most 1 MiB) that the service then serves',
    pattern: /^(https?:\/\/[^\s"'<>;,]+|(?!https?:)\S.*)$/,
  }),
  brandColor: text('BRAND_COLOR', '', 'the colour of buttons and links; what is read is made dark or light enough', {
    takes: 'a colour as #rgb or #rrggbb',
    pattern: /^#([\da-f]{3}|[\da-f]{6})$/i,
  }),
  viewsDir: text('VIEWS_DIR', './views', 'views that replace the built-in pages', folder),
  resourcesDir: text('RESOURCES_DIR', './resources', 'the resource declarations', folder),
  routesDir: text('ROUTES_DIR', './routes', 'endpoints and pages of your own', folder),
} as const satisfies Record<string, Setting<unknown>>;
