import type { Invalidate } from '../../database/bus.ts';
import type { Tx } from '../../database/database.ts';
import { invalidateResetLinks } from '../account-mails/one-time-token-store.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { withdrawPendingChange } from '../accounts/email-change-store.ts';
import { deleteRowsOf } from '../accounts/forget-user-store.ts';
import { liftLockout } from '../throttle/throttle-store.ts';

/** After a reset: ends sessions, tokens, client secrets, links, email changes and remembered browsers. Factors stay. */
export async function revokeAccess(
  { endSessions, endClients }: Pick<AccountServices, 'endSessions' | 'endClients'>,
  tx: Tx,
  invalidate: Invalidate,
  { userId, now, cause }: { userId: string; now: number; cause: string },
): Promise<void> {
  await endSessions(tx, invalidate, { userId }, cause);
  await endClients(tx, invalidate, { userId, keepSecrets: false, cause });
  await invalidateResetLinks(tx, userId, now);
  await withdrawPendingChange(tx, userId, now);
  await deleteRowsOf(tx, userId, 'remembered_browsers');
  await liftLockout(tx, userId);
}
