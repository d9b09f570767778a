import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { uuidv7 } from '../../database/uuid.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { insertEvent } from './event-store.ts';

export interface Event {
  /** The type, such as `login.succeeded`: the subject, then the result. */
  readonly type: string;
  readonly userId?: string | null | undefined;
  readonly clientId?: string | null | undefined;
  readonly sessionId?: string | null | undefined;
  /** The acting user. The audit trail shows this user if it is not the subject. */
  readonly actorId?: string | null | undefined;
  /** The row of a resource that the event is about. */
  readonly rowId?: string | undefined;
  readonly source: RequestSource;
  /** Other details. Never a secret. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Adds an event to the audit trail. With a transaction, the event is stored if the transaction commits. */
export async function recordEvent({ now, eventsLog }: Pick<Context, 'now' | 'eventsLog'>, db: Db | Tx, event: Event) {
  const { type, userId, clientId, sessionId, actorId, rowId, source, data } = event;
  const at = now();
  const row = {
    id: uuidv7(at),
    type,
    user_id: userId ?? null,
    client_id: clientId ?? null,
    session_id: sessionId ?? null,
    actor_id: actorId === userId ? null : (actorId ?? null),
    address: source.address,
    user_agent: source.userAgent,
    request_id: source.requestId,
    row_id: rowId ?? null,
    data: JSON.stringify(data ?? {}),
    created_at: at,
  };
  await insertEvent(db, row);
  eventsLog?.write(row);
}
