import type { EventRow } from '../../src/resources/audit/event-store.ts';

/** An event as one line of JSON, with the fields of `/v1/events`. */
export function eventLine(row: EventRow): string {
  const { id, type, created_at, user_id, client_id, session_id, actor_id, address, user_agent, request_id, data } = row;
  const time = new Date(created_at).toISOString();
  const origin = { user_id, client_id, session_id, actor_id, address, user_agent, request_id };
  return JSON.stringify({ id, type, created_at: time, ...origin, data: JSON.parse(data) });
}
