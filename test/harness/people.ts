import { type JsonResponse, logIn, request } from './request.ts';
import type { Service } from './service.ts';

export const password = 'a fine long secret';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

export interface UserBody {
  data: {
    id: string;
    email: string | null;
    username: string | null;
    name: string | null;
    email_confirmed: boolean;
    disabled: boolean;
    roles: string[];
    pending_email?: string;
  };
  code: string;
  detail: string;
  errors: { field: string; code: string }[];
}

export interface UsersBody {
  data: UserBody['data'][];
  meta: { pagination: { total: number } };
}

let people = 0;

/** A user who registered and logged in over HTTP. */
export async function registerUser(on: Service): Promise<Person> {
  const email = `user${people++}@example.com`;
  const { body } = await request<UserBody>(on, '/v1/register', { json: { email, password } });
  return { id: body.data.id, email, token: await logIn(on, email, password) };
}

export const patchUser = (on: Service, id: string, json: unknown, token: string): Promise<JsonResponse<UserBody>> =>
  request<UserBody>(on, `/v1/users/${id}`, { method: 'PATCH', json, token });

/** `401 user_gone`, or `200`. */
export async function stateOf(on: Service, token: string): Promise<string> {
  const { status, body } = await request<UserBody>(on, '/v1/users/me', { token });
  return status === 200 ? '200' : `${status} ${body.code}`;
}

/** A personal access token with these scopes. */
export async function personalToken(
  on: Service,
  token: string,
  scopes = ['*'],
  current_password: string | null = null,
): Promise<string> {
  const { body } = await request<{ data: { access_token: string } }>(on, '/v1/tokens', {
    json: { name: 'a token', scopes, current_password },
    token,
  });
  return body.data.access_token;
}

/** A personal client of the bearer, and a function that gets tokens with it. */
export async function personalClient(on: Service, token: string) {
  const { body } = await request<{ data: { id: string; client_secret: string } }>(on, '/v1/clients', {
    json: { name: 'a client' },
    token,
  });
  const { id, client_secret: secret } = body.data;
  return { id, secret, grant: () => clientGrant(on, id, secret) };
}

export const clientGrant = (on: Service, client_id: string, client_secret: string) =>
  request<{ access_token: string; refresh_token: string; error: string }>(on, '/v1/oauth/token', {
    form: { grant_type: 'client_credentials', client_id, client_secret },
  });
