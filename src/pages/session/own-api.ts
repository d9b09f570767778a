import type { FastifyRequest, InjectOptions } from 'fastify';

/** What the API answered, in the words that a page needs. */
export interface Answer<T> {
  readonly ok: boolean;
  readonly status: number;
  /** The `data` of the envelope, or the whole body where there is none. */
  readonly data: T;
  /** What is wrong with which field. */
  readonly errors: Readonly<Record<string, string>>;
  /** What is wrong on the whole, fit to be shown. */
  readonly message: string;
  readonly code: string;
  /** Seconds. */
  readonly retryAfter: number;
  /** The cookies that the API sets, by name: for the page to hand on. */
  readonly cookies: ReadonlyMap<string, string>;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Record<string, unknown>;
  /** The access token of whom the page acts for. */
  readonly token?: string;
  /** A cookie of the browser's that the API is to see. */
  readonly cookie?: string;
}

/**
 * The pages are a first-party client that lives inside the service: they use its API like any other, without a socket
 * in between. So one place validates, decides who may do what, throttles and records.
 */
export async function callOwnApi<T>(
  request: FastifyRequest,
  { method, path, body, token, cookie }: Call,
): Promise<Answer<T>> {
  const headers: Record<string, string> = { accept: 'application/json', 'x-request-id': request.id };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (cookie !== undefined) headers.cookie = cookie;
  const userAgent = request.headers['user-agent'];
  if (userAgent) headers['user-agent'] = userAgent;
  const zone = (request.body as Record<string, unknown> | undefined)?.time_zone;
  if (typeof zone === 'string' && /^[\w+/-]{1,64}$/.test(zone)) headers['time-zone'] = zone;
  const options: InjectOptions = { method, url: path, headers, remoteAddress: request.ip };
  if (body) options.payload = body;
  const response = await request.server.inject(options);
  const status = response.statusCode;
  const read = response.body === '' ? {} : (response.json() as Record<string, unknown>);
  return {
    ok: status < 400,
    status,
    data: ('data' in read ? read.data : read) as T,
    errors: fieldErrors(read.errors),
    message: String(read.detail ?? read.error_description ?? ''),
    code: String(read.code ?? read.error ?? ''),
    retryAfter: Number(response.headers['retry-after'] ?? 0),
    cookies: new Map(response.cookies.map(({ name, value }) => [name, value])),
  };
}

function fieldErrors(errors: unknown): Record<string, string> {
  const byField: Record<string, string> = {};
  if (!Array.isArray(errors)) return byField;
  for (const { field, message } of errors as { field: string; message: string }[]) {
    byField[field] ??= message.startsWith(field) ? nameOf(field) + message.slice(field.length) : message;
  }
  return byField;
}

/** `current_password` begins a sentence of the API; people read "Current password". */
const nameOf = (field: string): string => (field.charAt(0).toUpperCase() + field.slice(1)).replaceAll('_', ' ');
