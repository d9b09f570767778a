import type { Context } from '../context.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import type { Change } from '../database/bus.ts';
import type { Tx } from '../database/database.ts';
import { recordEvent } from '../events/record-event.ts';
import type { RequestSource } from '../http/request-source.ts';
import { changesBetween } from '../resources/write/changes.ts';
import { addClientSecret } from './client-secrets.ts';
import { type ClientType, createClient } from './client-store.ts';

interface NewClient {
  /** Default: a new UUID. */
  readonly id?: string | undefined;
  readonly type: ClientType;
  readonly name: string;
  readonly userId: string | null;
  /** Checked by `wrongScopes`. */
  readonly scopes: readonly string[];
  readonly actorId: string | null;
  readonly source: RequestSource;
}

/** A client with all that belongs to one from the start: its secret and its event. Undefined where the id is taken. */
export async function makeClient(
  context: Context,
  keys: KeyRing,
  tx: Tx,
  invalidate: (change: Change) => void,
  { actorId, source, ...made }: NewClient,
): Promise<{ id: string; userId: string | null; secret: string } | undefined> {
  const { id, type, name, userId, scopes } = made;
  const client = await createClient(tx, { ...(id ? { id } : {}), type, name, userId, scopes }, context.now());
  if (!client) return undefined;
  const secret = await addClientSecret(context, keys, tx, invalidate, { clientId: client.id });
  await recordEvent(context, tx, {
    type: 'client.created',
    userId: client.user_id,
    clientId: client.id,
    actorId,
    source,
    data: { type, scopes, changes: changesBetween(undefined, { type, name, scopes }) },
  });
  return { id: client.id, userId: client.user_id, secret };
}
