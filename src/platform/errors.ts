export interface FieldError extends FieldErrorValues {
  field: string;
  code: string;
  message: string;
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** The figures of a message, for programs and for translations. */
export interface FieldErrorValues {
  readonly limit?: number | string | undefined;
  /** The values that are allowed, or the hint of a pattern. */
  readonly values?: readonly string[] | undefined;
}

interface ProblemOptions {
  /** A stable machine-readable word, such as `token_expired`. */
  code?: string;
  errors?: FieldError[];
  headers?: Record<string, string>;
  /** More members of the body, for programs. */
  members?: Readonly<Record<string, unknown>>;
  /** The reason, only for the log. A caller never sees it. */
  reason?: string;
}

/** An error that a caller may see, sent as RFC 9457 `application/problem+json` (or in the OAuth format if the route requires it). */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;
  readonly code: string | undefined;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;
  readonly members: Readonly<Record<string, unknown>> | undefined;
  readonly reason: string | undefined;

  constructor(status: number, title: string, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.name = 'Problem';
    this.status = status;
    this.title = title;
    this.code = options.code;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
    this.members = options.members;
    this.reason = options.reason;
  }
}

export const badRequest = (detail: string, code = 'bad_request') => new Problem(400, 'Bad Request', detail, { code });
export const forbidden = (detail: string, code = 'forbidden') => new Problem(403, 'Forbidden', detail, { code });
export const notFound = (detail = 'This address does not exist.') =>
  new Problem(404, 'Not Found', detail, { code: 'not_found' });
export const conflict = (detail: string, code = 'conflict') => new Problem(409, 'Conflict', detail, { code });
export const preconditionFailed = (detail: string) =>
  new Problem(412, 'Precondition Failed', detail, { code: 'precondition_failed' });
/** The maximum number of field errors in a response. Validation can stop at this number. */
export const maxFieldErrors = 20;

export const unprocessable = (errors: readonly FieldError[]) =>
  new Problem(422, 'Unprocessable Content', 'Some fields are invalid; see errors.', {
    code: 'validation_failed',
    errors: errors.slice(0, maxFieldErrors),
  });
const retryAfter = (seconds: number) => ({ 'Retry-After': String(Math.max(1, Math.ceil(seconds))) });

export const tooManyRequests = (detail: string, seconds: number) =>
  new Problem(429, 'Too Many Requests', detail, { code: 'too_many_requests', headers: retryAfter(seconds) });
/** SQLSTATE of a deadlock, and of a serialization failure. */
export const isRetryableConflict = (error: unknown): boolean => ['40P01', '40001'].includes(codeOf(error) ?? '');

export const conflictingChange = (reason: string): Problem =>
  unavailable('Somebody else is changing the same data at the moment. Try again.', 1, reason);

export const unavailable = (detail: string, seconds: number, reason?: string) =>
  new Problem(503, 'Service Unavailable', detail, {
    code: 'unavailable',
    headers: retryAfter(seconds),
    ...(reason ? { reason } : {}),
  });
/** Nobody gets this response. The status is for the log and the metrics: a caller that hangs up is no error of the service. */
export const clientClosedRequest = () =>
  new Problem(499, 'Client Closed Request', 'The caller closed the connection.', {
    code: 'connection_closed',
    reason: 'the caller hung up',
  });
export const tooExpensive = (detail: string, seconds: number) =>
  new Problem(503, 'Service Unavailable', detail, { code: 'too_expensive', headers: retryAfter(seconds) });

/** RFC 6749 5.2, RFC 8693 2.2.2, RFC 8707 2, RFC 9396 5. */
type TokenErrorCode =
  | ('invalid_request' | 'invalid_client' | 'invalid_grant' | 'unauthorized_client' | 'unsupported_grant_type')
  | ('invalid_scope' | 'invalid_target' | 'invalid_authorization_details' | 'mfa_required');
/** RFC 8628 3.5. */
type DeviceErrorCode = 'authorization_pending' | 'slow_down' | 'expired_token';
/** RFC 6750 3.1, RFC 9470 3, RFC 9449. */
type AccessErrorCode =
  | ('invalid_token' | 'insufficient_scope' | 'insufficient_user_authentication')
  | ('use_dpop_nonce' | 'invalid_dpop_proof');
/** RFC 7591 3.2.2. */
type RegistrationErrorCode = 'invalid_redirect_uri' | 'invalid_client_metadata';
/** RFC 6749 4.1.2.1, OpenID Connect Core 3.1.2.6. */
type AuthorizationErrorCode =
  | ('access_denied' | 'temporarily_unavailable' | 'server_error' | 'unsupported_response_type' | 'login_required')
  | ('consent_required' | 'interaction_required' | 'unmet_authentication_requirements')
  | ('request_not_supported' | 'request_uri_not_supported' | 'registration_not_supported');

export type OAuthErrorCode =
  | TokenErrorCode
  | DeviceErrorCode
  | AccessErrorCode
  | RegistrationErrorCode
  | AuthorizationErrorCode;

/** RFC 6749 5.2. The description is fixed and public; `reason` goes to the log. */
export class OAuthError extends Error {
  readonly status: number;
  readonly error: OAuthErrorCode;
  readonly headers: Record<string, string>;
  readonly members: Readonly<Record<string, unknown>> | undefined;
  readonly reason: string | undefined;

  constructor(
    error: OAuthErrorCode,
    description: string,
    options: { status?: number } & Pick<ProblemOptions, 'reason' | 'headers' | 'members'> = {},
  ) {
    super(description);
    this.name = 'OAuthError';
    this.error = error;
    this.status = options.status ?? (error === 'invalid_client' ? 401 : 400);
    this.headers = options.headers ?? {};
    this.members = options.members;
    this.reason = options.reason;
  }
}

/** Stops the service or a command. Printed without a stack trace, because the operator can fix the cause. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
