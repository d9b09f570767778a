import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';
import { type Event, recordEvent } from '../../resources/audit/record-event.ts';
import type { WriteCall } from '../../resources/declaration/define-resource.ts';
import { notifyOwner, type OwnerNotice } from '../account-mails/request-mail.ts';
import { deleteRowsOf } from '../accounts/forget-user-store.ts';
import type { Mail } from '../mail/mail.ts';
import { countFactors, countHeldFactors, hasSecondFactor } from './factor-count-store.ts';

/** The services that check a factor. */
export interface FactorCheckServices {
  readonly context: Context;
  readonly keys: KeyRing;
  readonly mail: Mail;
}

/** The services that change factors. */
export interface FactorServices extends FactorCheckServices {
  /**
   * Rejects applications, old proofs, and sessions without a second factor if another session has set one up. If the factor
   * belongs to another user (`ownerId`), the caller needs all scopes.
   */
  guardChange(db: Db | Tx, caller: Caller, ownerId?: string): Promise<void>;
}

/** With MFA=off, second factors cannot be set up, because no sign-in asks for them. */
export function requireSecondFactors({ config }: Context): void {
  if (config.mfa === 'off') throw forbidden('Second factors are switched off here (MFA=off).', 'mfa_off');
}

/** Removes recovery codes and remembered browsers with the last factor. */
export async function cleanUpAfterLastFactor(tx: Tx, userId: string): Promise<void> {
  if (hasSecondFactor(await countHeldFactors(tx, userId))) return;
  await deleteRowsOf(tx, userId, 'recovery_codes', 'remembered_browsers');
}

/** A change of a user's factors. It is recorded, and the owner is notified. */
interface FactorChange extends Pick<Event, 'actorId' | 'rowId' | 'data' | 'source'> {
  readonly userId: string;
  readonly event: string;
  readonly notice: OwnerNotice;
  /** For the mail, in English: `account-mails.ts` translates it. */
  readonly what?: 'a passkey' | 'an authenticator app' | 'new recovery codes' | 'a sign-in with a provider';
}

export async function recordFactorChange(
  services: Pick<FactorCheckServices, 'context' | 'mail'>,
  tx: Tx,
  { userId, event, notice, what, ...change }: FactorChange,
): Promise<void> {
  await recordEvent(services.context, tx, { type: event, userId, ...change });
  const { source } = change;
  const data = { ...(what ? { what } : {}), address: source.address };
  await notifyOwner(services, tx, { userId, template: notice, data, source });
}

/** Records that an owner or an administrator added or removed a passkey or an authenticator app. */
export const recordFactorRow = (
  services: FactorCheckServices,
  { tx, caller, source }: WriteCall,
  kind: 'passkey' | 'authenticator',
  event: 'added' | 'removed',
  { id, user_id: userId }: { id: string; user_id: string },
): Promise<void> =>
  recordFactorChange(services, tx, {
    userId,
    event: `${kind}.${event}`,
    notice: caller.userId === userId ? `factor-${event}` : 'factors-removed',
    what: kind === 'passkey' ? 'a passkey' : 'an authenticator app',
    actorId: caller.userId,
    rowId: id,
    source,
  });

/** Deletes all factors except the password. */
export const deleteFactors = (tx: Tx, userId: string): Promise<void> =>
  deleteRowsOf(tx, userId, 'passkeys', 'authenticators', 'recovery_codes', 'remembered_browsers');

/** Removes all factors except the password from a user who lost them. If there were any, records it and notifies the owner. */
export async function removeFactors(
  services: Pick<FactorCheckServices, 'context' | 'mail'>,
  tx: Tx,
  { userId, actorId, source }: { userId: string; actorId: string | null; source: RequestSource },
): Promise<void> {
  const { passkeys, authenticators, recovery_codes } = await countFactors(tx, userId);
  await deleteFactors(tx, userId);
  if (passkeys + authenticators + recovery_codes === 0) return;
  const data = { passkeys, authenticators };
  const change = { event: 'factors.removed', notice: 'factors-removed', actorId, data } as const;
  await recordFactorChange(services, tx, { userId, ...change, source });
}
