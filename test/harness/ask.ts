import type { Service } from './service.ts';

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

interface Question {
  readonly method?: string;
  readonly json?: unknown;
  readonly form?: Record<string, string>;
  readonly token?: string;
  readonly headers?: Record<string, string>;
}

/** Asks a service as a client would: JSON or a form, with or without a token. */
export async function ask<T = Record<string, unknown>>(
  { url }: Pick<Service, 'url'>,
  path: string,
  { method, json, form, token, headers }: Question = {},
): Promise<Answer<T>> {
  const body = json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : undefined;
  const response = await fetch(`${url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      accept: 'application/json',
      ...(json !== undefined ? { 'content-type': 'application/json' } : {}),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as T,
  };
}

/** The tokens of a login through the web admin proxy. */
export async function logIn(service: Pick<Service, 'url'>, email: string, password: string): Promise<string> {
  const { status, body } = await ask<{ access_token: string }>(service, '/v1/clients/web/admin/login', {
    json: { email, password },
  });
  if (status !== 200) throw new Error(`login of ${email}: ${status} ${JSON.stringify(body)}`);
  return body.access_token;
}
