import { errorOf, GatehouseError, UnreachableError } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Call {
  method: Method;
  /** From the service's root: `/v1/cars`. */
  path: string;
  body?: unknown;
  /** A form instead of JSON, for the OAuth endpoints. */
  form?: Record<string, string>;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** The response is a stream of events. Its body is returned unread. */
  stream?: boolean;
  /** The call may be repeated if there was no response: a read, or a write with an Idempotency-Key. */
  repeatable?: boolean;
  /** Uses cookies across origins too: the refresh cookie of the login proxy, for an application on a sibling host. */
  withCookies?: boolean;
}

export interface CallResponse<Body = unknown> {
  status: number;
  headers: Headers;
  /** The JSON of the response; undefined for 204. */
  body: Body;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Transport {
  send<Body>(call: Call): Promise<CallResponse<Body>>;
}

export interface TransportOptions {
  /** The service's address; empty in a browser that got its page from the service itself. */
  baseUrl: string;
  fetch: Fetch;
  /** Delays in milliseconds before the retries of a repeatable call. */
  retryDelays: readonly number[];
}

/** An error is retried if the service requests a wait of at most this long. */
const maxWaitSeconds = 5;
const temporaryStatuses = new Set([429, 502, 503, 504]);

/** Sends JSON, reads JSON, and throws a typed error for every failure. */
export function createTransport({ baseUrl, fetch, retryDelays }: TransportOptions): Transport {
  const root = baseUrl.replace(/\/+$/, '');

  async function sendOnce<Body>(call: Call): Promise<CallResponse<Body>> {
    const headers: Record<string, string> = {
      Accept: call.stream ? 'text/event-stream' : 'application/json, application/problem+json',
      ...call.headers,
    };
    const init: RequestInit = {
      method: call.method,
      headers,
      credentials: call.withCookies ? 'include' : 'same-origin',
    };
    if (call.body !== undefined) {
      headers['Content-Type'] = 'application/json';
      init.body = JSON.stringify(call.body);
    }
    // The platform sets the Content-Type of a form.
    if (call.form) init.body = new URLSearchParams(call.form);
    if (call.signal) init.signal = call.signal;
    let response: Response;
    let body: ReturnType<typeof parse>;
    try {
      response = await fetch(root + call.path, init);
      body = call.stream && response.ok ? response.body : parse(await response.text());
    } catch (cause) {
      if (call.signal?.aborted) throw cause;
      throw new UnreachableError('The service cannot be reached.', { status: 0, code: 'unreachable', cause });
    }
    if (!response.ok) throw errorOf(response, body);
    return { status: response.status, headers: response.headers, body };
  }

  return {
    async send<Body>(call: Call): Promise<CallResponse<Body>> {
      for (let attempt = 0; ; attempt++) {
        try {
          return await sendOnce(call);
        } catch (error) {
          const delay = retryDelays[attempt];
          if (delay === undefined || !call.repeatable || !mayPass(error)) throw error;
          await pause(Math.max(delay, (error.retryAfter ?? 0) * 1000), call.signal);
        }
      }
    },
  };
}

function mayPass(error: unknown): error is GatehouseError {
  if (!(error instanceof GatehouseError)) return false;
  if (error.status === 0) return true;
  return temporaryStatuses.has(error.status) && (error.retryAfter ?? 0) <= maxWaitSeconds;
}

function parse(text: string) {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Another server responded. `errorOf` reports an error. A success without JSON has no body.
    return undefined;
  }
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done() {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    if (signal?.aborted) return stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}
