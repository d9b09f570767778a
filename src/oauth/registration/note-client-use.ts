import type { Context } from '../../database/context.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { writeClientUse } from './registration-store.ts';

const staleMs = 86_400_000;

/** Keeps a client that registered itself from being taken for one that nobody uses. A failure harms nobody. */
export function noteClientUse({ database, log, now }: Context, { id, registration }: StoredClient): void {
  if (registration === null) return;
  writeClientUse(database.db, id, now(), staleMs).catch((error: unknown) =>
    log.warn({ err: error, client: id }, 'the use of a registered client was not noted'),
  );
}
