import type { Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { forgetBrowsers } from '../accounts/forget-user-store.ts';
import { deleteAuthenticatorsOf } from './authenticator-store.ts';
import { recordFactorChange } from './factor-notices.ts';
import { findHeldFactors } from './held-factor-store.ts';
import { deletePasskeysOf } from './passkey-store.ts';
import type { FactorCheckServices } from './prove-factor.ts';
import { deleteRecoveryCodes } from './recovery-code-store.ts';

/** Deletes all factors except the password. */
export async function deleteFactors(tx: Tx, userId: string): Promise<void> {
  await deletePasskeysOf(tx, userId);
  await deleteAuthenticatorsOf(tx, userId);
  await deleteRecoveryCodes(tx, userId);
  await forgetBrowsers(tx, userId);
}

/** Removes all factors except the password from a user who lost them. Records it and notifies the owner. */
export async function removeFactors(
  { context, mail }: Pick<FactorCheckServices, 'context' | 'mail'>,
  tx: Tx,
  { userId, actorId, source }: { userId: string; actorId: string | null; source: RequestSource },
): Promise<void> {
  const held = await findHeldFactors(tx, userId);
  await deleteFactors(tx, userId);
  const data = { passkeys: held.passkeys + held.automaticPasskeys, authenticators: held.authenticators };
  const change = { event: 'factors.removed', notice: 'factors-removed', actorId, data } as const;
  await recordFactorChange(context, mail, tx, { userId, ...change, source });
}
