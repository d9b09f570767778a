import type { BenchRequest, Operations } from '../measure/request.ts';
import { administrator, firstPartyClient } from './first-accounts.ts';
import { emailOf, fewestUsers, idOf, plateOf } from './seed.ts';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** More sessions than connections: each refresh token is used once and replaced by the one in the response. */
const refreshTokens = 256;
export const searchedCar = 432;

const accept = { accept: 'application/json' };
const formHeaders = { ...accept, 'content-type': 'application/x-www-form-urlencoded' };
const form = (parameters: Record<string, string>): string =>
  new URLSearchParams(parameters).toString().replaceAll('%7B%7D', '{}').replaceAll('%23', '#');

/** The measured operations of Gatehouse, each with its token. */
export async function gatehouseOperations(
  url: string,
  client: { client_id: string; client_secret: string },
): Promise<Operations> {
  const post = (path: string, parameters: Record<string, string>, expect: BenchRequest['expect']): BenchRequest => ({
    method: 'POST',
    path,
    headers: formHeaders,
    body: form(parameters),
    expect,
  });
  const credentials = { client_id: client.client_id, client_secret: client.client_secret };
  const clientCredentials = post(
    '/v1/oauth/token',
    { grant_type: 'client_credentials', ...credentials },
    { status: 200, includes: '"refresh_token":' },
  );
  const request = async (): Promise<Tokens> => {
    const response = await fetch(url + clientCredentials.path, {
      method: 'POST',
      headers: clientCredentials.headers,
      body: clientCredentials.body as string,
    });
    if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`);
    return (await response.json()) as Tokens;
  };
  const tokens: Tokens[] = [];
  while (tokens.length < refreshTokens) tokens.push(...(await Promise.all(Array.from({ length: 32 }, request))));
  const { access_token } = tokens[0] as Tokens;
  const headers = { ...accept, authorization: `Bearer ${access_token}` };
  const get = (path: string, includes: string): BenchRequest => ({
    method: 'GET',
    path,
    headers,
    expect: { status: 200, includes },
  });
  const car = `/v1/cars/${idOf(123)}`;
  const etag = (await fetch(url + car, { headers })).headers.get('etag') ?? '';
  return {
    'client credentials': clientCredentials,
    password: {
      ...post(
        '/v1/oauth/token',
        {
          grant_type: 'password',
          username: '{}',
          password: administrator.password,
          client_id: firstPartyClient.id,
          client_secret: firstPartyClient.secret,
        },
        { status: 200, includes: '"access_token":' },
      ),
      values: Array.from({ length: fewestUsers }, (_, n) => encodeURIComponent(emailOf(n))),
    },
    refresh: {
      ...post(
        '/v1/oauth/token',
        { grant_type: 'refresh_token', refresh_token: '{}', ...credentials },
        { status: 200, includes: '"refresh_token":' },
      ),
      values: tokens.slice(1).map((each) => each.refresh_token),
      nextValue: 'refresh_token',
    },
    introspection: post(
      '/v1/oauth/introspect',
      { token: access_token, ...credentials },
      { status: 200, includes: '"active":true' },
    ),
    get: get(car, plateOf(123)),
    // More rows than the service caches.
    'get any': { ...get('/v1/cars/{}', '"plate":'), values: Array.from({ length: 2000 }, (_, n) => idOf(n)) },
    list: get('/v1/cars?limit=10', '"total":'),
    search: get(`/v1/cars?search=plate:${encodeURIComponent(plateOf(searchedCar))}`, plateOf(searchedCar)),
    'page with include': get('/v1/cars?limit=100&include=owner', '"owner":{"data":{'),
    'cursor page': get('/v1/cars?limit=100&cursor=', '"next_cursor":'),
    'not modified': { ...get(car, ''), headers: { ...headers, 'if-none-match': etag }, expect: { status: 304 } },
    create: {
      method: 'POST',
      path: '/v1/cars',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ plate: 'NEW', color: 'Red', owner_id: idOf(0) }),
      expect: { status: 201, includes: '"plate":' },
    },
    register: post(
      '/v1/register',
      { email: 'bench#@example.com', password: administrator.password },
      { status: 201, includes: '"email":' },
    ),
  };
}
