import { commitAndInvalidate } from '../../src/database/bus.ts';
import type { Context } from '../../src/database/context.ts';
import type { KeyRing } from '../../src/database/keys/key-ring.ts';
import { systemSource as source } from '../../src/http/request-source.ts';
import type { ApplicationFields } from '../../src/oauth/clients/client-store.ts';
import { createClientWithSecret } from '../../src/oauth/clients/secrets/client-secrets.ts';

interface Options extends Partial<ApplicationFields> {
  readonly name?: string;
  readonly userId?: string | null;
  readonly scopes?: readonly string[];
}

/** An application, with its secret unless it is public. */
export async function addApplication(
  { context, keys }: { context: Context; keys: KeyRing },
  { name = 'an application', userId = null, scopes = ['openid'], ...fields }: Options = {},
): Promise<{ id: string; secret?: string }> {
  const redirect_uris = ['https://app.example/callback'];
  const made = { type: 'application' as const, redirect_uris, name, userId, scopes, actorId: null, source, ...fields };
  const client = await commitAndInvalidate(context.database, (tx, invalidate) =>
    createClientWithSecret(context, keys, tx, invalidate, made),
  );
  if (!client) throw new Error('the application already exists');
  return client;
}
