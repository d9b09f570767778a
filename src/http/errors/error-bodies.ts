import {
  type FieldError,
  maxFieldErrors,
  OAuthError,
  type OAuthErrorCode,
  type Problem,
} from '../../platform/errors.ts';

export const maxErrorBytes = 16 * 1024;
/** In characters. JSON needs at most six bytes for each. */
const maxDetailLength = 2000;
const maxFieldLength = 100;
const maxMessageLength = 1000;

const truncate = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text;

export const errorDetail = ({ message }: Error): string => truncate(message, maxDetailLength);

function fittingErrors(errors: readonly FieldError[], maxBytes: number): FieldError[] {
  const entries: FieldError[] = [];
  let remaining = maxBytes;
  for (const { field, code, message, limit, values } of errors.slice(0, maxFieldErrors)) {
    const error = { field: truncate(field, maxFieldLength), code, message: truncate(message, maxMessageLength), limit };
    const entry = values && values.join(', ').length <= maxMessageLength ? { ...error, values } : error;
    remaining -= Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (remaining < 0) break;
    entries.push(entry);
  }
  return entries;
}

/** The body of an RFC 9457 error. A buffer, because Fastify adds a charset to strings and this media type has none. */
export function problemBody(problem: Problem, requestId: string): Buffer {
  const { status, title, code, errors, members } = problem;
  const type = `urn:gatehouse:problem:${code ?? 'error'}`;
  const bodyWithoutErrors = {
    type,
    title,
    status,
    detail: errorDetail(problem),
    instance: requestId,
    code,
    ...members,
  };
  if (!errors) return Buffer.from(JSON.stringify(bodyWithoutErrors));
  const maxBytes = maxErrorBytes - Buffer.byteLength(JSON.stringify({ ...bodyWithoutErrors, errors: [] }));
  return Buffer.from(JSON.stringify({ ...bodyWithoutErrors, errors: fittingErrors(errors, maxBytes) }));
}

const oauthCodes = new Map<number, OAuthErrorCode>([
  [401, 'invalid_client'],
  [403, 'access_denied'],
  [429, 'temporarily_unavailable'],
  [500, 'server_error'],
  [503, 'temporarily_unavailable'],
]);

/** The codes of RFC 6750 3.1 and RFC 9470 3, for rejected access tokens. */
const bearerErrors = new Map<string | undefined, OAuthErrorCode>([
  ...(
    ['token_missing', 'token_malformed', 'token_expired', 'token_revoked', 'client_revoked', 'user_gone'] as const
  ).map((code) => [code, 'invalid_token'] as const),
  ['insufficient_scope', 'insufficient_scope'],
  ['proof_too_old', 'insufficient_user_authentication'],
]);

export function oauthErrorBody(error: OAuthError | Problem): string {
  if (error instanceof OAuthError) return formatOAuthError(error.error, errorDetail(error), error.members);
  const messages = error.errors?.map(({ message }) => truncate(message, maxMessageLength)).join(' ');
  const code = bearerErrors.get(error.code) ?? oauthCodes.get(error.status) ?? 'invalid_request';
  return formatOAuthError(code, messages ?? errorDetail(error));
}

const formatOAuthError = (error: OAuthErrorCode, description: string, members?: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ error, error_description: asciiDescription(truncate(description, maxDetailLength)), ...members });

/** RFC 6749 5.2 allows printable ASCII without quote and backslash. */
const asciiDescription = (text: string): string => text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?');
