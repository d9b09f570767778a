import type { Invalidate } from '../../database/bus.ts';
import type { Tx } from '../../database/database.ts';
import { findClientIdsOf } from '../../identity/accounts/forget-user-store.ts';
import { removeSecrets } from '../clients/client-store.ts';
import { endSessions } from './end/end-sessions.ts';
import type { Sessions } from './sessions.ts';

/**
 * Ends the sessions of a user's clients and, unless they are kept, the secrets that would open new ones. The clients stay:
 * their owner gives them new secrets.
 */
export async function endClients(
  sessions: Sessions,
  tx: Tx,
  invalidate: Invalidate,
  { userId, keepSecrets, cause }: { userId: string; keepSecrets: boolean; cause: string },
): Promise<void> {
  for (const clientId of await findClientIdsOf(tx, userId)) {
    if (!keepSecrets) await removeSecrets(tx, clientId);
    await endSessions(sessions, tx, invalidate, { clientId }, cause);
  }
}
