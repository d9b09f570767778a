import type { Invalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { changesBetween } from '../../resources/write/changes.ts';
import { withDefaults } from './application-store.ts';
import { createClient, type NewClient } from './client-store.ts';
import { addClientSecret } from './secrets/client-secrets.ts';

interface RecordedClient extends NewClient {
  readonly actorId: string | null;
  /** The part of the service that created the client, if no user did. */
  readonly by?: string;
  readonly source: RequestSource;
}

/** Creates a client, its audit event and, unless it needs none, its secret. Undefined if the id is taken. */
export async function createClientWithSecret(
  context: Context,
  keys: KeyRing,
  tx: Tx,
  invalidate: Invalidate,
  { actorId, source, by, ...newClient }: RecordedClient,
): Promise<{ id: string; userId: string | null; secret?: string } | undefined> {
  const { type, scopes } = newClient;
  const client = await createClient(tx, newClient, context.now());
  if (!client) return undefined;
  const clientId = client.id;
  const needsNoSecret = newClient.public || newClient.token_endpoint_auth_method === 'private_key_jwt';
  const secret = needsNoSecret ? {} : { secret: await addClientSecret(context, keys, tx, invalidate, { clientId }) };
  await recordEvent(context, tx, {
    type: 'client.created',
    userId: client.user_id,
    clientId: client.id,
    actorId,
    source,
    data: { ...(by ? { by } : {}), type, scopes, changes: changesBetween(undefined, auditedFields(newClient)) },
  });
  return { id: clientId, userId: client.user_id, ...secret };
}

/** The fields by their API names, for the audit trail. */
function auditedFields({ type, name, scopes, ...applicationFields }: NewClient): Record<string, unknown> {
  if (type !== 'application') return { type, name, scopes };
  return { type, name, scopes, ...withDefaults(applicationFields) };
}
