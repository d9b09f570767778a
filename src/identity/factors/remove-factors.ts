import type { Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { deleteRowsOf } from '../accounts/forget-user-store.ts';
import { recordFactorChange } from './factor-notices.ts';
import { countFactors } from './held-factor-store.ts';
import type { FactorCheckServices } from './prove-factor.ts';

/** Deletes all factors except the password. */
export const deleteFactors = (tx: Tx, userId: string): Promise<void> =>
  deleteRowsOf(tx, userId, 'passkeys', 'authenticators', 'recovery_codes', 'remembered_browsers');

/** Removes all factors except the password from a user who lost them. If there were any, records it and notifies the owner. */
export async function removeFactors(
  { context, mail }: Pick<FactorCheckServices, 'context' | 'mail'>,
  tx: Tx,
  { userId, actorId, source }: { userId: string; actorId: string | null; source: RequestSource },
): Promise<void> {
  const { passkeys, authenticators, recovery_codes } = await countFactors(tx, userId);
  await deleteFactors(tx, userId);
  if (passkeys + authenticators + recovery_codes === 0) return;
  const data = { passkeys, authenticators };
  const change = { event: 'factors.removed', notice: 'factors-removed', actorId, data } as const;
  await recordFactorChange(context, mail, tx, { userId, ...change, source });
}
