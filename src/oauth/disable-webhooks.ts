import type { Context } from '../database/context.ts';
import type { Tx } from '../database/database.ts';
import { systemSource } from '../http/request-source.ts';
import { recordEvent } from '../resources/audit/record-event.ts';
import { markInactive, type WebhookFilter } from './webhook-store.ts';

/** Disables one webhook, the webhooks of a user, or all, and records it. Returns the number of webhooks that were active. */
export async function disableWebhooks(context: Context, tx: Tx, which: WebhookFilter, reason: string): Promise<number> {
  const disabled = await markInactive(tx, which, reason, context.now());
  for (const { id, user_id: userId } of disabled) {
    await recordEvent(context, tx, { type: 'webhook.disabled', userId, source: systemSource, data: { id, reason } });
  }
  return disabled.length;
}
