import { addLogin, password } from './accounts.ts';
import { type JsonResponse, request } from './request.ts';
import type { Service } from './service.ts';

/** The owner of clients and tokens, with an access token. */
export interface Owner {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

export type Row = Record<string, unknown> & { id: string };

export const rowOf = ({ body }: JsonResponse): Row => body.data as Row;
export const rowsOf = ({ body }: JsonResponse): Row[] => body.data as Row[];

export async function addOwner(service: Service, roles: string[] = []): Promise<Owner> {
  const { id, email } = await addLogin(service, { roles });
  const response = await request(service, '/v1/clients/web/admin/login', { form: { email, password } });
  return { id, email, token: String(response.body.access_token) };
}

export const grantClient = (service: Service, { id }: Row, secret: unknown, scope = ''): Promise<JsonResponse> =>
  request(service, '/v1/oauth/token', {
    form: { grant_type: 'client_credentials', client_id: id, client_secret: String(secret), scope },
  });

/** Two users and an administrator. */
export async function addOwners(service: Service): Promise<{ ann: Owner; bob: Owner; admin: Owner }> {
  const [ann, bob, admin] = await Promise.all([addOwner(service), addOwner(service), addOwner(service, ['admin'])]);
  return { ann, bob, admin };
}

/** Sends a request to the service of a suite, by method, path and token. */
export const requestsTo =
  (service: () => Service) =>
  (method: string, path: string, token: string | undefined, json?: unknown, headers = {}): Promise<JsonResponse> =>
    request(service(), path, { method, token: token ?? null, ...(json === undefined ? {} : { json }), headers });
