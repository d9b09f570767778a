import type { Generated } from 'kysely';

/** Changes, and those who follow them. */
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
  /** What a browser opens a stream with once, where it cannot send a header. */
  change_tickets: { id: string; sealed_token: string; expires_at: number };
}
