import { randomUUID } from 'node:crypto';
import { systemSource } from '../../src/http/request-source.ts';
import { issuePersonalToken } from '../../src/oauth/sessions/personal-tokens/personal-tokens.ts';
import { addClient, addUser, password } from '../harness/accounts.ts';
import { request } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';
import type { Person } from './people.ts';

export interface Write {
  readonly method: string;
  readonly path: string;
  readonly json: unknown;
  readonly headers?: Record<string, string>;
}

/** Creates the row that the write needs, and returns the request. */
type Prepare = (service: Service, person: Person) => Promise<Write>;

const made = async (service: Service, { token }: Person, path: string, json: unknown): Promise<string> => {
  const { status, body } = await request<{ data: { id: string } }>(service, path, { json, token });
  if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body.data.id;
};
const owner = (service: Service, person: Person) => made(service, person, '/v1/owners', { name: 'Ada' });
const newCar = () => ({ plate: `P ${randomUUID().slice(0, 8).toUpperCase()}`, model: 'Panda' });
const car = async (service: Service, person: Person) =>
  made(service, person, '/v1/cars', { ...newCar(), owner_id: await owner(service, person) });
const secondToken = async ({ context, sessions }: Service, { id: userId }: Person, revealed: boolean) => {
  const token = { userId, name: 'second', scopes: ['*'], revealed, source: systemSource };
  return (await issuePersonalToken(context.database, sessions, token)).id;
};

const send = (method: string, path: string, json: unknown = {}, headers = {}): Write => ({
  method,
  path,
  json,
  headers,
});

/** One write of every kind that a token allows. An administrator with the scope `*` may send each of them. */
export const writes: ReadonlyMap<string, Prepare> = new Map<string, Prepare>([
  ['create', async () => send('POST', '/v1/owners', { name: 'Eve' })],
  [
    'create under an Idempotency-Key',
    async () => send('POST', '/v1/owners', { name: 'Eve' }, { 'idempotency-key': randomUUID() }),
  ],
  ['replace', async (service, person) => send('PUT', `/v1/owners/${await owner(service, person)}`, { name: 'Eve' })],
  ['update', async (service, person) => send('PATCH', `/v1/owners/${await owner(service, person)}`, { name: 'Eve' })],
  ['delete', async (service, person) => send('DELETE', `/v1/owners/${await owner(service, person)}`)],
  [
    'nested create',
    async (service, person) => send('POST', `/v1/owners/${await owner(service, person)}/cars`, newCar()),
  ],
  [
    'nested create with a link',
    async (service, person) =>
      send('POST', `/v1/cars/${await car(service, person)}/drivers`, {
        name: 'Max',
        licence: randomUUID().slice(0, 18),
      }),
  ],
  ['action', async (service, person) => send('POST', `/v1/cars/${await car(service, person)}/park`, { place: 'Here' })],
  ['new token', async () => send('POST', '/v1/tokens', { name: 'mine' })],
  [
    'reveal a token',
    async (service, person) => send('POST', `/v1/tokens/${await secondToken(service, person, false)}/values`),
  ],
  [
    'delete a token',
    async (service, person) => send('DELETE', `/v1/tokens/${await secondToken(service, person, true)}`),
  ],
  ['new client', async () => send('POST', '/v1/clients', { name: 'mine' })],
  [
    'update a client',
    async (service, { id: userId }) =>
      send('PATCH', `/v1/clients/${(await addClient(service, { userId })).id}`, { name: 'other' }),
  ],
  [
    'new secret',
    async (service, { id: userId }) => send('POST', `/v1/clients/${(await addClient(service, { userId })).id}/secrets`),
  ],
  [
    'delete a client',
    async (service, { id: userId }) => send('DELETE', `/v1/clients/${(await addClient(service, { userId })).id}`),
  ],
  [
    'new user',
    async () => send('POST', '/v1/users', { email: `${randomUUID()}@example.com`, password, roles: ['admin'] }),
  ],
  ['update oneself', async () => send('PATCH', '/v1/users/me', { name: 'Eve' })],
  [
    'change the password',
    async () => send('PATCH', '/v1/users/me', { password: 'another long password', current_password: password }),
  ],
  [
    'give a role',
    async ({ context }) => send('PATCH', `/v1/users/${(await addUser(context)).id}`, { roles: ['admin'] }),
  ],
  ['delete a user', async ({ context }) => send('DELETE', `/v1/users/${(await addUser(context)).id}`)],
  [
    'ask for a confirmation',
    async ({ context }, { id }) => {
      await context.database.db.updateTable('users').set({ email_confirmed: 0 }).where('id', '=', id).execute();
      return send('POST', '/v1/email/confirmations');
    },
  ],
  ['log out', async () => send('DELETE', '/v1/logout')],
]);
