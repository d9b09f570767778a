import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

export const admin = { email: 'admin@example.com', password: 'correct horse battery' };
/** The admin web client, as the operator configures it (4.2). */
export const webAdmin = { client_id: 'web-console', client_secret: 'a secret of the admin web client' };

export interface Tokens {
  readonly token_type: string;
  readonly expires_in: number;
  readonly access_token: string;
  readonly refresh_token: string;
}

/**
 * Services as the specification assumes them, with its clients and its example resources. `beside` shares a database.
 */
export function specServices(engine: Parameters<typeof services>[0]) {
  const start = services(engine);
  return (env: Record<string, string> = {}, beside?: Service): Promise<Service> =>
    start({
      ...(beside ? { database: beside.database } : {}),
      env: {
        CLIENT_WEB_ADMIN_ID: webAdmin.client_id,
        CLIENT_WEB_ADMIN_SECRET: webAdmin.client_secret,
        RESOURCES_DIR: new URL('../../examples/fleet/resources', import.meta.url).pathname,
        ...env,
      },
    });
}

/** 4.1, as in the document: a form. */
export const requestTokens = <T = Tokens>(service: Service, form: Record<string, string>) =>
  request<T>(service, '/v1/oauth/token', { form });

export const passwordGrant = (service: Service, { email, password } = admin) =>
  requestTokens(service, { grant_type: 'password', username: email, password, ...webAdmin, scope: '' });

/** A registered user with tokens (4.5, 4.6). */
export async function register(service: Service, email: string, password = 'lovelace-1815') {
  const made = await request<{ data: { id: string } }>(service, '/v1/register', { form: { email, password } });
  const { body } = await passwordGrant(service, { email, password });
  return { id: made.body.data.id, email, password, tokens: body };
}
