import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import pino, { type DestinationStream, type Logger } from 'pino';
import { tracing } from './tracing.ts';

/** Values with these names, at the top level or one level below, are secrets. */
const secretNames = [
  ...['password', 'secret', 'token', 'authorization', 'cookie', 'client_secret', 'clientSecret', 'password_hash'],
  ...['access_token', 'accessToken', 'refresh_token', 'refreshToken', 'adminPassword', 'smtpUrl'],
  ...['databaseUrl', 'databaseListenUrl', 'databaseReplicaUrls', 'encryptionKey', 'previousEncryptionKey'],
];

const maxLineLength = 8192;
const maxTextLength = 2000;
const ellipsis = '…';

type Replacement = readonly [RegExp, string];

/** Each pattern takes linear time. They do not begin with \b, because in JSON a token may follow the n of an escaped line break. */
const tokensInText: readonly Replacement[] = [
  // A JWT, or the beginning of one.
  [/eyJ[\w.-]{8,}/g, '[hidden]'],
  [/(bearer|basic) [\w.~+/=-]{8,}/gi, '$1 [hidden]'],
];

const secretsInText: readonly Replacement[] = [
  ...tokensInText,
  [/(password|secret|token)=(?:"[^"]+"|'[^']+'|[^\s&"']+)/gi, '$1=[hidden]'],
];

/** Keeps the escapes of JSON whole: an unescaped quote ends the text, and an escaped one ends a quoted secret. */
const secretsInJson: readonly Replacement[] = [
  ...tokensInText,
  [
    /(password|secret|token)=(?:(?:\\\\)*\\"(?:[^"\\]|\\[^"])*|'(?:[^'"\\]|\\.)*|(?:[^\s&"'\\]|\\\\)+)/gi,
    '$1=[hidden]',
  ],
];

export const redactSecrets = (text: string): string => redactWith(secretsInText, text);

function redactWith(replacements: readonly Replacement[], text: string): string {
  let redacted = withoutUrlPasswords(text);
  for (const [pattern, replacement] of replacements) redacted = redacted.replace(pattern, replacement);
  return redacted;
}

/** `scheme://user:password@host`. If the text was cut before the `@`, it hides everything after the colon. */
function withoutUrlPasswords(text: string): string {
  let redacted = '';
  let copiedTo = 0;
  for (let at = text.indexOf('://'); at >= 0; ) {
    const { end, colon, lastAt } = readUrl(text, at + 3);
    const hiddenTo = text[end - 1] === ellipsis ? end - 1 : lastAt;
    if (colon >= 0 && hiddenTo > colon + 1) {
      redacted += `${text.slice(copiedTo, colon + 1)}[hidden]`;
      copiedTo = hiddenTo;
    }
    at = text.indexOf('://', end);
  }
  return copiedTo === 0 ? text : redacted + text.slice(copiedTo);
}

/** The end of a URL, its first colon after the scheme, and its last `@`, because a password may contain an `@`. */
function readUrl(text: string, start: number): { end: number; colon: number; lastAt: number } {
  let colon = -1;
  let lastAt = -1;
  let end = start;
  for (; end < text.length; end++) {
    const char = text.charAt(end);
    if (char <= ' ' || char === '"') break;
    if (char === ':' && colon < 0) colon = end;
    else if (char === '@') lastAt = end;
  }
  return { end, colon, lastAt };
}

const truncateText = (_name: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > maxTextLength
    ? value.slice(0, maxTextLength).toWellFormed() + ellipsis
    : value;

/** Cuts the texts of a line that is too long. If that is not enough, it keeps the beginning as one text. The line stays JSON. */
function shorten(line: string): string {
  const entry: Record<string, unknown> = JSON.parse(line, truncateText);
  const truncated = JSON.stringify(entry);
  if (truncated.length < maxLineLength) return `${truncated}\n`;
  const { level, time, msg } = entry;
  // Quotes and backslashes take two characters each in a JSON text.
  const beginning = truncated.slice(0, Math.floor((maxLineLength - maxTextLength) / 2)).toWellFormed() + ellipsis;
  return `${JSON.stringify({ level, time, msg: String(msg).slice(0, 200), cut: beginning })}\n`;
}

/** Cuts the line before it looks for secrets, so that a caller cannot make a line expensive. */
export const cleanLogLine = (line: string): string =>
  redactWith(secretsInJson, line.length > maxLineLength ? shorten(line) : line);

/** A cause may be its own cause. */
const maxCauseDepth = 5;

/** An error for the log: its message and stack, without the values that a driver adds to it. */
function describeError(error: unknown, causes = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { code, cause } = error as Error & { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined || causes >= maxCauseDepth ? {} : { cause: describeError(cause, causes + 1) }),
  };
}

export function createLog(level: string, isPretty: boolean, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
      serializers: { err: (error) => describeError(error), error: (error) => describeError(error) },
      hooks: { streamWrite: cleanLogLine },
      mixin: () => tracing()?.ids() ?? {},
    },
    destination ?? (isPretty ? prettyLog() : pino.destination({ sync: true })),
  );
}

/** The warnings of a command. Standard output is for its result. */
export const commandLog = (): Logger => createLog('warn', false, pino.destination({ dest: 2, sync: true }));

/** Whether standard output shows colours. NO_COLOR and FORCE_COLOR override this. */
const hasColours = (): boolean => styleText('red', '.', { stream: process.stdout }) !== '.';

function paintStatus(status: number): string {
  const style = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  return styleText(style, String(status), { validateStream: false });
}

/** Formats log lines for a terminal. The module is loaded only when a person is watching. */
export function prettyLog(destination?: DestinationStream, colours = !destination && hasColours()): DestinationStream {
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  return pretty({
    translateTime: 'SYS:HH:MM:ss',
    sync: true,
    colorize: colours,
    ...(destination ? { destination } : {}),
    // Each entry is one line. A request is shown as `METHOD route status`.
    singleLine: true,
    ignore: 'method,route,status,ms,address,requestId',
    messageFormat: (entry, messageKey) => {
      const { method, route, status, ms, address, requestId } = entry;
      // Only errors show the request id, to keep other lines short.
      const id =
        requestId !== undefined && (method === undefined || Number(status) >= 500) ? ` (request ${requestId})` : '';
      if (method === undefined) return `${entry[messageKey]}${address === undefined ? '' : ` ${address}`}${id}`;
      return `${method} ${route} ${colours ? paintStatus(Number(status)) : status} ${ms} ms ${address}${id}`;
    },
  });
}
