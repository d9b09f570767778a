/** A parsed response. */
export interface JsonResponse<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON body. An empty object if the body is not JSON. */
  readonly body: T;
}

export interface RequestOptions {
  /** Default: POST with a body, otherwise GET. */
  readonly method?: string;
  readonly json?: unknown;
  readonly form?: Record<string, string> | string;
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Sends a request with JSON or a form, with or without a token. Follows no redirects. */
export async function request<T = Record<string, unknown>>(
  { url }: { readonly url: string },
  path: string,
  { method, json, form, token, headers, signal }: RequestOptions = {},
): Promise<JsonResponse<T>> {
  const body = bodyOf(json, form);
  const response = await fetch(`${url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(token == null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (/^[{[]/.test(text) ? JSON.parse(text) : {}) as T,
  };
}

function bodyOf(json: unknown, form: RequestOptions['form']): string | undefined {
  if (json !== undefined) return JSON.stringify(json);
  return form === undefined || typeof form === 'string' ? form : new URLSearchParams(form).toString();
}

/** The access token of a login through the web admin proxy. */
export async function logIn(service: { readonly url: string }, email: string, password: string): Promise<string> {
  const { status, body } = await request<{ access_token: string }>(service, '/v1/clients/web/admin/login', {
    json: { email, password },
  });
  if (status !== 200) throw new Error(`login of ${email}: ${status} ${JSON.stringify(body)}`);
  return body.access_token;
}
