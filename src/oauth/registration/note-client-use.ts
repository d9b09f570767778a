import type { Context } from '../../database/context.ts';
import { decrementCounts } from '../../identity/throttle/throttle-store.ts';
import type { StoredClient } from '../clients/client-store.ts';
import type { KeptMetadata } from './client-information.ts';
import { writeClientUse, writeFirstUse } from './registration-store.ts';

const staleMs = 86_400_000;

/** Keeps a client that registered itself from being taken for one that nobody uses. A failure harms nobody. */
export async function noteClientUse(context: Context, { id, registration }: StoredClient): Promise<void> {
  if (registration === null) return;
  try {
    await noteUse(context, id);
  } catch (error) {
    context.log.warn({ err: error, client: id }, 'the use of a registered client was not noted');
  }
}

async function noteUse({ database: { db }, now }: Context, id: string): Promise<void> {
  const at = now();
  const first = await writeFirstUse(db, id, at);
  if (!first) return writeClientUse(db, id, at, staleMs);
  const { countedAs = [] } = JSON.parse(first.metadata) as KeptMetadata;
  await decrementCounts(db, countedAs, at);
}
