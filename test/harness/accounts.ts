import { commitAndInvalidate } from '../../src/database/bus.ts';
import type { Context } from '../../src/database/context.ts';
import type { KeyRing } from '../../src/database/keys/key-ring.ts';
import { uuidv7 } from '../../src/database/uuid.ts';
import { insertUser } from '../../src/identity/accounts/user-store.ts';
import { createClient } from '../../src/oauth/clients/client-store.ts';
import { addClientSecret } from '../../src/oauth/clients/secrets/client-secrets.ts';
import type { Service } from './service.ts';

export const password = 'a long enough password';

/** A user row. Without a hashing service, no password matches. */
export async function addUser(
  context: Context,
  { email = `${uuidv7()}@example.com`, roles = [] as string[], name = null as string | null, hash = 'none' } = {},
): Promise<{ id: string; email: string }> {
  const id = uuidv7(context.now());
  await insertUser(context.database.db, {
    id,
    email,
    username: null,
    phone: null,
    name,
    password_hash: hash,
    email_confirmed: 1,
    roles: JSON.stringify(roles),
    created_at: context.now(),
    updated_at: context.now(),
    version: 1,
  });
  return { id, email };
}

/** A user who can log in with `password`. */
export async function addLogin(
  { context, passwords }: Service,
  options: { email?: string; roles?: string[]; name?: string } = {},
) {
  return addUser(context, { ...options, hash: await passwords.hash(password) });
}

export async function addClient(
  { context, keys }: { context: Context; keys: KeyRing },
  {
    type = 'personal' as 'personal' | 'password',
    userId = null as string | null,
    scopes = ['*'],
    ...rest
  }: { type?: 'personal' | 'password'; userId?: string | null; scopes?: string[]; id?: string; secret?: string } = {},
): Promise<{ id: string; secret: string }> {
  return commitAndInvalidate(context.database, async (tx, invalidate) => {
    const client = await createClient(
      tx,
      { type, name: 'a client', userId, scopes, ...(rest.id ? { id: rest.id } : {}) },
      context.now(),
    );
    if (!client) throw new Error('the client already exists');
    const secret = await addClientSecret(context, keys, tx, invalidate, {
      clientId: client.id,
      ...(rest.secret ? { secret: rest.secret } : {}),
    });
    return { id: client.id, secret };
  });
}
