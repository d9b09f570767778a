import { sql } from 'kysely';
import type { Tx } from '../../src/database/database.ts';
import type { Answer } from '../harness/ask.ts';
import type { Service } from '../harness/service.ts';

/** Until so many wait for what an open transaction holds. */
export async function someoneWaits({ context: { database } }: Service, howMany = 1): Promise<void> {
  const locks = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  for (;;) {
    if (database.engine === 'sqlite' && database.connections().waiting >= howMany) return;
    if (database.engine === 'postgres' && (await locks.execute(database.db)).rows.length >= howMany) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Asks while a transaction is open that ends something, and that nobody is told of: the gate lets the request pass, and
 * only the write itself can know better.
 */
export async function meet(
  service: Service,
  end: (tx: Tx) => Promise<unknown>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  // Not the promise itself: the transaction would wait for it.
  const { asking } = await service.context.database.db.transaction().execute(async (tx) => {
    await end(tx);
    const asking = ask();
    await Promise.race([someoneWaits(service), asking]);
    return { asking };
  });
  return asking;
}
