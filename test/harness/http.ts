/** One answer, read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

interface Options {
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly form?: Record<string, string> | string;
  readonly token?: string;
}

/** A request as a careful caller sends it. */
export async function call(method: string, url: string, { headers, json, form, token }: Options = {}): Promise<Answer> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(form === undefined ? {} : { body: typeof form === 'string' ? form : new URLSearchParams(form).toString() }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? JSON.parse(text) : {},
  };
}
