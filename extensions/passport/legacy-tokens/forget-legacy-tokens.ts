import { commitAndInvalidate } from '../../../src/database/bus.ts';
import type { Context } from '../../../src/database/context.ts';
import { pruneInBatches } from '../../../src/database/prune-in-batches.ts';
import { deleteExpired, deleteKeysOfNothing } from './legacy-token-store.ts';

/** Removes tokens of the old service that have expired, and with the last of them the keys that opened them. */
export async function forgetLegacyTokens({ database, log, now }: Context): Promise<void> {
  await pruneInBatches((limit) => deleteExpired(database.db, now(), limit));
  const forgotten = await commitAndInvalidate(database, async (tx, invalidate) => {
    const keys = await deleteKeysOfNothing(tx);
    if (keys > 0) invalidate({ kind: 'keys', id: 'legacy' });
    return keys;
  });
  if (forgotten > 0) log.info('the last token of the earlier service has expired; its keys are forgotten');
}
