import assert from 'node:assert/strict';
import { generateSync } from 'otplib';
import { PasskeyDevice } from './passkey-device.ts';
import { type Person, password } from './people.ts';
import { type JsonResponse, request } from './request.ts';
import type { Service } from './service.ts';

export const loginPath = '/v1/clients/web/admin/login';

export interface LoginBody {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope?: string;
  readonly error: string;
  readonly error_description: string;
  readonly mfa_token: string;
  readonly methods: string[];
}

/** An authenticator app. It shares no code with the tested implementation. */
export class App {
  readonly #service: Service;
  readonly id: string;
  readonly secret: string;

  constructor(service: Service, id: string, secret: string) {
    this.#service = service;
    this.id = id;
    this.secret = secret;
  }

  /** The code that the app shows now, or `later` time steps later. */
  code(later = 0): string {
    const epoch = Math.floor(this.#service.context.now() / 1000) + later * 30;
    return generateSync({ secret: this.secret, epoch });
  }

  /** The next code. The previous one is used up. */
  next(): string {
    this.#service.advance(30_000);
    return this.code();
  }
}

/** Sets up an authenticator app. */
export async function addApp(on: Service, { token }: Pick<Person, 'token'>): Promise<{ app: App; codes: string[] }> {
  const made = await request<{ data: { id: string; secret: string; uri: string; qr: string } }>(
    on,
    '/v1/authenticators',
    {
      json: {},
      token,
    },
  );
  assert.equal(made.status, 201, made.text);
  const app = new App(on, made.body.data.id, made.body.data.secret);
  const path = `/v1/authenticators/${app.id}/confirmations`;
  const confirmed = await request<{ data: { recovery_codes: string[] } }>(on, path, {
    json: { code: app.code() },
    token,
  });
  assert.equal(confirmed.status, 200, confirmed.text);
  return { app, codes: confirmed.body.data.recovery_codes };
}

interface MadePasskey {
  readonly data: { readonly id: string; readonly recovery_codes?: string[] };
}

export const challengeFor = async (on: Service, json: object, token?: string) =>
  (await request<{ data: never }>(on, '/v1/passkey-challenges', { json, ...(token ? { token } : {}) })).body.data;

/** Registers a passkey of a new device. */
export async function addPasskey(
  on: Service,
  { token }: Pick<Person, 'token'>,
  { automatic = false } = {},
): Promise<{ device: PasskeyDevice; response: JsonResponse<MadePasskey> }> {
  const device = new PasskeyDevice(on.context.config.baseUrl);
  const passkey = device.create(await challengeFor(on, { automatic }, token));
  const response = await request<MadePasskey>(on, '/v1/passkeys', { json: { passkey }, token });
  return { device, response };
}

export const tryLogin = (
  on: Service,
  json: object,
  headers: Record<string, string> = {},
): Promise<JsonResponse<LoginBody>> => request<LoginBody>(on, loginPath, { json, headers });

/** Logs in with the password, and returns the response that requires a second factor. */
export async function halfLogin(on: Service, { email }: Pick<Person, 'email'>): Promise<LoginBody> {
  const { status, body, text } = await tryLogin(on, { email, password });
  assert.equal(status, 403, text);
  assert.equal(body.error, 'mfa_required');
  return body;
}
