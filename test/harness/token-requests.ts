import assert from 'node:assert/strict';
import { addClient, addLogin } from './accounts.ts';
import type { JsonResponse } from './request.ts';
import type { Service } from './service.ts';

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

/** A user, a client for the password grant, and a client for client credentials that may read and write cars. */
export async function addRequesters(service: Service) {
  service.scopes.addResource('cars');
  return {
    user: await addLogin(service),
    client: await addClient(service, { type: 'password' }),
    personal: await addClient(service, { scopes: ['cars:read', 'cars:write'] }),
  };
}

/** Parameters of a token request, with the credentials of its client. */
export const requestBy = (
  { id, secret }: Credentials,
  parameters: Record<string, string> = {},
): Record<string, string> => ({ client_id: id, client_secret: secret, ...parameters });

export const byCredentials = (client: Credentials, parameters: Record<string, string> = {}): Record<string, string> =>
  requestBy(client, { grant_type: 'client_credentials', ...parameters });

/** RFC 6749 5.2: exactly these fields, in these characters, stored nowhere. */
export function expectRefusal(response: JsonResponse, status: number, error: string): void {
  assert.equal(response.body.error, error, JSON.stringify(response.body));
  assert.equal(response.status, status);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  assert.match(String(response.body.error_description), /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  assert.deepEqual(Object.keys(response.body).sort(), ['error', 'error_description']);
}
