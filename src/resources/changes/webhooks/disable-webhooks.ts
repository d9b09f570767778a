import type { Context } from '../../../database/context.ts';
import type { Tx } from '../../../database/database.ts';
import { systemSource } from '../../../http/request-source.ts';
import { recordEvent } from '../../audit/record-event.ts';

/** Disables one webhook, those of a user, or all, and records it. Returns how many were active. */
export async function disableWebhooks(
  context: Context,
  tx: Tx,
  which: { readonly id?: string; readonly user_id?: string },
  reason: string,
): Promise<number> {
  const rows = await tx
    .updateTable('webhooks')
    .set((eb) => ({ active: 0, disabled_reason: reason, updated_at: context.now(), version: eb('version', '+', 1) }))
    .where((eb) => eb.and(which))
    .where('active', '=', 1)
    .returning(['id', 'user_id'])
    .execute();
  for (const { id, user_id: userId } of rows) {
    await recordEvent(context, tx, { type: 'webhook.disabled', userId, source: systemSource, data: { id, reason } });
  }
  return rows.length;
}
