import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import type { WriteCall } from '../../resources/declaration/define-resource.ts';
import { notifyOwner, type OwnerNotice } from '../account-mails/notify-owner.ts';
import type { Mail } from '../mail/mail.ts';

/** A change of a user's factors. It is recorded, and the owner is notified. */
interface FactorChange {
  readonly userId: string;
  readonly event: string;
  readonly notice?: OwnerNotice;
  /** For the mail, in English: `account-mails.ts` translates it. */
  readonly what?: 'a passkey' | 'an authenticator app' | 'new recovery codes' | 'a sign-in with a provider';
  readonly actorId?: string | null | undefined;
  readonly rowId?: string | undefined;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly source: RequestSource;
}

export async function recordFactorChange(
  context: Context,
  mail: Mail,
  tx: Tx,
  { userId, event, notice, what, actorId, rowId, data, source }: FactorChange,
): Promise<void> {
  await recordEvent(context, tx, { type: event, userId, actorId, rowId, source, ...(data ? { data } : {}) });
  if (!notice) return;
  const mailData = { ...(what ? { what } : {}), address: source.address };
  await notifyOwner(context, mail, tx, { userId, template: notice, data: mailData, source });
}

/** Records that an owner or an administrator added or removed a passkey or an authenticator app. */
export const recordFactorRow = (
  { context, mail }: { context: Context; mail: Mail },
  { tx, caller, source }: WriteCall,
  kind: 'passkey' | 'authenticator',
  event: 'added' | 'removed',
  { id, user_id: userId }: { id: string; user_id: string },
): Promise<void> =>
  recordFactorChange(context, mail, tx, {
    userId,
    event: `${kind}.${event}`,
    notice: caller.userId === userId ? `factor-${event}` : 'factors-removed',
    what: kind === 'passkey' ? 'a passkey' : 'an authenticator app',
    actorId: caller.userId,
    rowId: id,
    source,
  });
