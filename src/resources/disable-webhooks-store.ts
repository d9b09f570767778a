import type { Context } from '../database/context.ts';
import type { Tx } from '../database/database.ts';
import { systemSource } from '../http/request-source.ts';
import { recordEvent } from './audit/record-event.ts';

/** Selects one webhook, the webhooks of a user, or all. */
interface WebhookFilter {
  readonly id?: string;
  readonly user_id?: string;
}

/** Disables the webhooks and records it. Returns the number of webhooks that were active. */
export async function disableWebhooks(context: Context, tx: Tx, filter: WebhookFilter, reason: string) {
  const disabled = await tx
    .updateTable('webhooks')
    .set((eb) => ({ active: 0, disabled_reason: reason, updated_at: context.now(), version: eb('version', '+', 1) }))
    .where((eb) => eb.and(filter))
    .where('active', '=', 1)
    .returning(['id', 'user_id'])
    .execute();
  for (const { id, user_id: userId } of disabled) {
    await recordEvent(context, tx, { type: 'webhook.disabled', userId, source: systemSource, data: { id, reason } });
  }
  return disabled.length;
}
