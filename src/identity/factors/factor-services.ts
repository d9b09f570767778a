import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import type { Caller } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';
import { deleteRowsOf } from '../accounts/forget-user-store.ts';
import { findHeldFactors, hasSecondFactor } from './held-factor-store.ts';
import type { FactorCheckServices } from './prove-factor.ts';

/** The services that the factors need. */
export interface FactorServices extends FactorCheckServices {
  /** Rejects applications, old proofs, and sessions without a second factor if another session has set one up. */
  guardChange(db: Db | Tx, caller: Caller): Promise<void>;
}

/** With MFA=off, second factors cannot be set up, because no sign-in asks for them. */
export function requireSecondFactors({ config }: Context): void {
  if (config.mfa === 'off') throw forbidden('Second factors are switched off here (MFA=off).', 'mfa_off');
}

/** Removes recovery codes and remembered browsers with the last factor. */
export async function cleanUpAfterLastFactor(tx: Tx, userId: string): Promise<void> {
  if (hasSecondFactor(await findHeldFactors(tx, userId))) return;
  await deleteRowsOf(tx, userId, 'recovery_codes', 'remembered_browsers');
}
