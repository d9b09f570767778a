import {
  type FieldError,
  maxFieldErrors,
  OAuthError,
  type OAuthErrorCode,
  type Problem,
} from '../../platform/errors.ts';

/** The maximum length of an error response. */
export const maxErrorBytes = 16 * 1024;
/** In characters, each of which takes six bytes at most in JSON. */
const maxDetailLength = 2000;
const maxFieldLength = 100;
const maxMessageLength = 1000;

const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1).toWellFormed()}…` : text;

/** The `detail` of an error, for people. */
export const errorDetail = ({ message }: Error): string => cut(message, maxDetailLength);

/** The first field errors that fit into the response. */
function fittingErrors(errors: readonly FieldError[], room: number): FieldError[] {
  const listed: FieldError[] = [];
  let left = room;
  for (const { field, code, message, limit, values } of errors.slice(0, maxFieldErrors)) {
    const said = { field: cut(field, maxFieldLength), code, message: cut(message, maxMessageLength), limit };
    const shown = values && values.join(', ').length <= maxMessageLength ? { ...said, values } : said;
    left -= Buffer.byteLength(JSON.stringify(shown)) + 1;
    if (left < 0) break;
    listed.push(shown);
  }
  return listed;
}

/** RFC 9457, as bytes: for a string, Fastify would add a charset, which this media type does not have. */
export function problemBody(problem: Problem, requestId: string): Buffer {
  const { status, title, code, errors, members } = problem;
  const type = `urn:gatehouse:problem:${code ?? 'error'}`;
  const head = { type, title, status, detail: errorDetail(problem), instance: requestId, code, ...members };
  if (!errors) return Buffer.from(JSON.stringify(head));
  const room = maxErrorBytes - Buffer.byteLength(JSON.stringify({ ...head, errors: [] }));
  return Buffer.from(JSON.stringify({ ...head, errors: fittingErrors(errors, room) }));
}

const oauthCodes = new Map<number, OAuthErrorCode>([
  [401, 'invalid_client'],
  [403, 'access_denied'],
  [429, 'temporarily_unavailable'],
  [500, 'server_error'],
  [503, 'temporarily_unavailable'],
]);

/** RFC 6750 3.1, if the access token is rejected. */
const bearerErrors = new Map<string | undefined, OAuthErrorCode>([
  ...(
    ['token_missing', 'token_malformed', 'token_expired', 'token_revoked', 'client_revoked', 'user_gone'] as const
  ).map((code) => [code, 'invalid_token'] as const),
  ['insufficient_scope', 'insufficient_scope'],
]);

/** RFC 6749 5.2. */
export function oauthErrorBody(error: OAuthError | Problem): string {
  if (error instanceof OAuthError) return write(error.error, errorDetail(error), error.members);
  const messages = error.errors?.map(({ message }) => cut(message, maxMessageLength)).join(' ');
  const code = bearerErrors.get(error.code) ?? oauthCodes.get(error.status) ?? 'invalid_request';
  return write(code, messages ?? errorDetail(error));
}

const write = (error: OAuthErrorCode, description: string, members?: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ error, error_description: asciiDescription(cut(description, maxDetailLength)), ...members });

/** RFC 6749 5.2 allows printable ASCII without quote and backslash. */
const asciiDescription = (text: string): string => text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?');
