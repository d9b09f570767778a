import { sql } from 'kysely';
import type { Tx } from '../../src/database/database.ts';
import type { JsonResponse } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';

/** Returns when this many statements wait for the locks of an open transaction. */
export async function untilBlocked({ context: { database } }: Service, howMany = 1): Promise<void> {
  const locks = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  for (;;) {
    if (database.engine === 'sqlite' && database.connections().waiting >= howMany) return;
    if (database.engine === 'postgres' && (await locks.execute(database.db)).rows.length >= howMany) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Sends a request during an open transaction that ends a right without an invalidation. The gate accepts the request,
 * and only the check inside the write can refuse it.
 */
export async function requestDuring(
  service: Service,
  end: (tx: Tx) => Promise<unknown>,
  request: () => Promise<JsonResponse>,
): Promise<JsonResponse> {
  // In an object, because the transaction would wait for a returned promise.
  const { pending } = await service.context.database.db.transaction().execute(async (tx) => {
    await end(tx);
    const pending = request();
    await Promise.race([untilBlocked(service), pending]);
    return { pending };
  });
  return pending;
}
