import { createRequire } from 'node:module';
import pino, { type DestinationStream, type Logger } from 'pino';

/** Whatever is logged under one of these names, at the top or one level down, is a secret by its name. */
const secretNames = [
  'password',
  'secret',
  'token',
  'authorization',
  'cookie',
  'client_secret',
  'clientSecret',
  'access_token',
  'accessToken',
  'refresh_token',
  'refreshToken',
  'password_hash',
  'databaseUrl',
  'smtpUrl',
  'adminPassword',
  'encryptionKey',
];

/** The last net: a token, or the password of a URL, inside the text of somebody else's error message. */
const secretsInText =
  /\beyJ[\w-]{5,}\.[\w-]+\.[\w-]+|(?<=\b(?:Bearer|Basic) )[\w.~+/=-]{8,}|(?<=:\/\/[^\s:/@"]{0,256}:)[^\s@"]+(?=@)/g;

export const withoutSecrets = (line: string): string => line.replace(secretsInText, '[hidden]');

/** An error as it is logged: what it says and where it was thrown, never the values that a driver hangs on it. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, cause } = error as Error & { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  };
}

/** JSON lines, or lines for people where a person is watching. */
export function createLog(level: string, forPeople: boolean, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
      serializers: { err: describeError, error: describeError },
      hooks: { streamWrite: withoutSecrets },
    },
    destination ?? (forPeople ? forReading() : pino.destination({ sync: true })),
  );
}

/** Loaded only where a person is watching. */
function forReading(): DestinationStream {
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  return pretty({ translateTime: 'SYS:HH:MM:ss', sync: true });
}
