import type { Generated } from 'kysely';
import type { JsonText } from '../../platform/json-text.ts';

export interface ChangeTables {
  /** Every change of a resource with `changes`, as triggers write it. */
  change_log: {
    position: Generated<number>;
    resource: string;
    row_id: string;
    operation: 'created' | 'updated' | 'deleted';
    version: number | null;
    /** JSON objects of stored values, by column. */
    before: string | null;
    after: string | null;
    /** JSON: the user and the client; null for the service itself. */
    actor: string | null;
    /** On PostgreSQL: who wrote it, to be compared with snapshots. */
    transaction_id: number | null;
    at: number;
  };
  /** One row: which log it is, and the last position that was pruned. */
  change_history: { id: string; pruned_to: Generated<number> };
  change_actor: { id: number; actor: string | null };
  /** Tickets: a browser that cannot send a header opens a stream with one. Each works once. */
  change_tickets: { id: string; sealed_token: string; expires_at: number };
  webhooks: {
    id: string;
    user_id: string;
    url: string;
    /** JSON lists. */
    resources: JsonText<string[]>;
    operations: JsonText<string[]>;
    search: string | null;
    active: number;
    /** Why the service has switched it off. */
    disabled_reason: string | null;
    signature: 'hmac' | 'ed25519';
    sealed_secret: string;
    /** Signs as well until `previous_until`. */
    sealed_previous: string | null;
    previous_until: number | null;
    /** Deliveries exist for all changes up to this position. */
    position: number;
    created_at: number;
    updated_at: number;
    version: number;
  };
  webhook_deliveries: {
    id: string;
    webhook_id: string;
    /** Of the change; 0 for a ping. */
    position: number;
    resource: string;
    row_id: string;
    operation: string;
    body: string;
    state: 'waiting' | 'delivered' | 'failed';
    attempts: number;
    next_attempt_at: number;
    leased_until: number | null;
    response_status: number | null;
    response_body: string | null;
    error: string | null;
    duration_ms: number | null;
    created_at: number;
    delivered_at: number | null;
  };
}
