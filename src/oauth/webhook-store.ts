import type { Tx } from '../database/database.ts';

/** Selects one webhook, the webhooks of a user, or all. */
export interface WebhookFilter {
  readonly id?: string;
  readonly user_id?: string;
}

export const markInactive = (tx: Tx, which: WebhookFilter, reason: string, now: number) =>
  tx
    .updateTable('webhooks')
    .set((eb) => ({ active: 0, disabled_reason: reason, updated_at: now, version: eb('version', '+', 1) }))
    .where((eb) => eb.and(which))
    .where('active', '=', 1)
    .returning(['id', 'user_id'])
    .execute();
