import { join } from 'node:path';
import { systemSource } from '../../src/http/request-source.ts';
import { addClient, addUser, password } from '../harness/accounts.ts';
import type { Service } from '../harness/service.ts';
import { openSession } from '../harness/sessions.ts';
import { signToken } from '../harness/sign-token.ts';

/**
 * With the API of an operator in addition to users, clients and tokens. Without FRESH_PROOF, because the sessions of
 * these tests prove no sign-in.
 */
export const env = {
  RESOURCES_DIR: join(import.meta.dirname, '../../examples/fleet/resources'),
  FRESH_PROOF: '0',
};

/** A signed-in user. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly sessionId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const hashes = new WeakMap<Service, Promise<string>>();

/** A user who is signed in through a separate client; an administrator by default. */
export async function signedIn(
  service: Service,
  { roles = ['admin'], scopes = ['*'] }: { roles?: string[]; scopes?: string[] } = {},
): Promise<Person> {
  const { context, sessions, verifier, passwords } = service;
  const hashing = hashes.get(service) ?? passwords.hash(password);
  hashes.set(service, hashing);
  const user = await addUser(context, { roles, hash: await hashing });
  const client = await addClient(service, { type: 'password', scopes });
  const session = await openSession(
    { context, sessions },
    {
      userId: user.id,
      clientId: client.id,
      scopes,
      source: systemSource,
    },
  );
  const token = signToken(sessions, session);
  // From here on, the token is in the cache of verified tokens.
  await verifier.verify(token, null);
  return { ...user, token, sessionId: session.id, clientId: client.id, clientSecret: client.secret };
}
