import { type Selectable, sql } from 'kysely';
import type { Context } from '../../../src/database/context.ts';
import type { Database, Db, Tx } from '../../../src/database/database.ts';
import { isPostgres } from '../../../src/database/locks/revocation-locks.ts';
import { pruneBefore } from '../../../src/database/prune-in-batches.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { lastSqlitePosition } from '../log/change-store.ts';

export type WebhookRow = Selectable<Tables['webhooks']>;
export type DeliveryRow = Selectable<Tables['webhook_deliveries']>;

export const activeWebhooks = (db: Db): Promise<WebhookRow[]> =>
  db.selectFrom('webhooks').selectAll().where('active', '=', 1).orderBy('id').execute();

/** Until the transaction ends, other transactions that count the webhooks of this user wait. SQLite has one writer. */
export async function countWebhooks(tx: Tx, userId: string | null): Promise<number> {
  if (isPostgres(tx))
    await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks of ${userId}`}, 0))`.execute(tx);
  const { n } = await tx
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll().as('n'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Returns the webhook and locks it, because one instance at a time creates its deliveries. */
export function lockWebhook(tx: Tx, id: string): Promise<WebhookRow | undefined> {
  const query = tx.selectFrom('webhooks').selectAll().where('id', '=', id).where('active', '=', 1);
  return query.forUpdate().skipLocked().executeTakeFirst();
}

/** The position at which a new webhook starts: after all issued positions. */
export async function newestPosition({ engine }: Pick<Database, 'engine'>, tx: Db | Tx): Promise<number> {
  if (engine === 'sqlite') return lastSqlitePosition(tx);
  const { rows } = await sql<{ last: number }>`
    select case when is_called then last_value else 0 end as last from change_log_position`.execute(tx);
  return rows[0]?.last ?? 0;
}

export async function advanceWebhook(tx: Tx, id: string, position: number): Promise<void> {
  await tx.updateTable('webhooks').set({ position }).where('id', '=', id).execute();
}

export async function insertDeliveries(tx: Db | Tx, rows: readonly DeliveryRow[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('webhook_deliveries').values(rows).execute();
}

/**
 * Leases due deliveries of a webhook. Of each row, only the oldest waiting delivery is leased. At most `max` deliveries are leased at the
 * same time, across all instances. Each delivery has the current row of the webhook, which may have changed since the poll read it.
 */
export async function leaseDeliveries(
  db: Db,
  { webhookId, now, until, max }: { webhookId: string; now: number; until: number; max: number },
): Promise<{ webhook: WebhookRow; delivery: DeliveryRow }[]> {
  return db.transaction().execute(async (tx) => {
    const webhook = await lockWebhook(tx, webhookId);
    if (!webhook) return [];
    const { rows: running } = await sql<{ n: number }>`select count(*) as n from webhook_deliveries
      where webhook_id = ${webhookId} and state = 'waiting' and leased_until > ${now}`.execute(tx);
    const free = max - Number(running[0]?.n ?? 0);
    if (free <= 0) return [];
    const { rows } =
      await sql<DeliveryRow>`update webhook_deliveries set leased_until = ${until}, attempts = attempts + 1
      where id in (select d.id from webhook_deliveries as d
        where d.webhook_id = ${webhookId} and d.state = 'waiting' and d.next_attempt_at <= ${now}
          and (d.leased_until is null or d.leased_until <= ${now})
          and not exists (select 1 from webhook_deliveries as e where e.webhook_id = d.webhook_id and e.row_id = d.row_id
            and e.state = 'waiting' and (e.position < d.position or (e.position = d.position and e.id < d.id)))
        order by d.position, d.id limit ${free})
      returning *`.execute(tx);
    return rows.map((delivery) => ({ webhook, delivery }));
  });
}

type Outcome = Partial<Omit<DeliveryRow, 'id'>>;

export async function updateDelivery(db: Db | Tx, id: string, outcome: Outcome): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ leased_until: null, ...outcome })
    .where('id', '=', id)
    .execute();
}

export async function replaceSecret(
  tx: Tx,
  id: string,
  values: Pick<WebhookRow, 'sealed_secret' | 'sealed_previous' | 'previous_until'>,
) {
  await tx
    .updateTable('webhooks')
    .set((eb) => ({ ...values, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/** Queues deliveries again: those with these ids, or all of a period. Skips those that are being sent. Returns their number. */
export async function requeueDeliveries(
  tx: Tx,
  webhookId: string,
  { ids, from, to, now }: { ids?: readonly string[] | undefined; from: number; to: number; now: number },
): Promise<number> {
  let query = tx
    .updateTable('webhook_deliveries')
    .set({
      state: 'waiting',
      attempts: 0,
      next_attempt_at: now,
      created_at: now,
      delivered_at: null,
      leased_until: null,
    })
    .where('webhook_id', '=', webhookId)
    .where((eb) =>
      eb.or([eb('state', '!=', 'waiting'), eb('leased_until', 'is', null), eb('leased_until', '<=', now)]),
    );
  query = ids ? query.where('id', 'in', ids) : query.where('created_at', '>=', from).where('created_at', '<=', to);
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** When a webhook is enabled again, its waiting deliveries start again, with three days of retries. */
export async function restartDeliveries(tx: Tx, webhookId: string, now: number): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ created_at: now, attempts: 0, next_attempt_at: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .execute();
}

/** Keeps the deliveries that wait for a retry. Those of a disabled webhook are not retried. */
export const pruneDeliveries = (context: Context, before: number): Promise<number> => {
  const ended = sql`(state <> 'waiting' or webhook_id in (select id from webhooks where active = 0))`;
  return pruneBefore(context, 'webhook_deliveries', 'created_at', before, ended);
};
