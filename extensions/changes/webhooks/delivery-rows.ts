import { uuidv7 } from '../../../src/database/uuid.ts';
import type { VisibleChange } from '../view/subscription.ts';
import type { DeliveryRow, WebhookRow } from './webhook-store.ts';

export const deliveryBody = ({ change: { resource, row }, operation, json }: VisibleChange): string =>
  `{"type":${JSON.stringify(`${resource.name}.${operation}`)},"timestamp":${JSON.stringify(new Date(row.at).toISOString())},"data":${json}}`;

const waiting = (webhookId: string, now: number) => ({
  id: uuidv7(now),
  webhook_id: webhookId,
  state: 'waiting' as const,
  attempts: 0,
  next_attempt_at: now,
  leased_until: null,
  response_status: null,
  response_body: null,
  error: null,
  duration_ms: null,
  created_at: now,
  delivered_at: null,
});

export const createDelivery = ({ id }: WebhookRow, visibleChange: VisibleChange, now: number): DeliveryRow => ({
  ...waiting(id, now),
  position: visibleChange.change.position,
  resource: visibleChange.change.resource.name,
  row_id: visibleChange.change.row.row_id,
  operation: visibleChange.operation,
  body: deliveryBody(visibleChange),
});

/** A ping belongs to no change, so it waits for no other delivery. */
export function createPing(webhookId: string, now: number): DeliveryRow {
  const row = waiting(webhookId, now);
  const data = { webhook_id: webhookId };
  const body = JSON.stringify({ type: 'ping', timestamp: new Date(now).toISOString(), data });
  return { ...row, position: 0, resource: '', row_id: row.id, operation: 'ping', body };
}
