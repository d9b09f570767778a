/** One invalid field of a 422 response. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

interface Details {
  status: number;
  code: string;
  fields?: FieldError[];
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
  members?: Readonly<Record<string, unknown>>;
}

/** The error of a failed call. Branch on `code`, which is stable. The message is for people. */
export class GatehouseError extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  /** The problems of each field, if the service reported them (422). */
  readonly fields: readonly FieldError[];
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry, if the service sent them (429, 503). */
  readonly retryAfter: number | undefined;

  constructor(message: string, details: Details) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.status = details.status;
    this.code = details.code;
    this.fields = details.fields ?? [];
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** RFC 9457 `application/problem+json`: an error of the API. */
export class ProblemError extends GatehouseError {}

/** RFC 6749 5.2 `{error, error_description}`: an error of the token endpoint or a login proxy. */
export class OAuthError extends GatehouseError {
  /** All members of the response, such as `mfa_token` and `methods` with `mfa_required`. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(message: string, details: Details) {
    super(message, details);
    this.members = details.members ?? {};
  }
}

/** There was no response (no network, connection refused), or another server responded. */
export class UnreachableError extends GatehouseError {}

/** The login has ended (logged out, expired or revoked). A new login is needed. */
export class SignedOutError extends GatehouseError {}

/** The error for a response with a status of 400 or more. */
export function errorOf(response: Response, body: unknown): GatehouseError {
  const { status } = response;
  const shared = {
    status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: secondsOf(response.headers.get('retry-after')),
  };
  if (isObject(body) && typeof body.error === 'string') {
    return new OAuthError(text(body.error_description) ?? body.error, { ...shared, code: body.error, members: body });
  }
  if (isObject(body) && (typeof body.title === 'string' || typeof body.detail === 'string')) {
    return problemOf(body, shared);
  }
  return new UnreachableError(`The response (HTTP ${status}) is not from Gatehouse.`, {
    ...shared,
    code: 'foreign_response',
  });
}

/** RFC 9457. */
export function problemOf(
  body: Record<string, unknown>,
  { status, ...shared }: Pick<Details, 'status' | 'requestId' | 'retryAfter'>,
): ProblemError {
  return new ProblemError(text(body.detail) ?? text(body.title) ?? `HTTP ${status}`, {
    ...shared,
    status,
    requestId: shared.requestId ?? text(body.instance),
    code: text(body.code) ?? `http_${status}`,
    fields: Array.isArray(body.errors) ? body.errors.filter(isFieldError) : [],
  });
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const isFieldError = (value: unknown): value is FieldError =>
  isObject(value) && typeof value.field === 'string' && typeof value.message === 'string';

function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
