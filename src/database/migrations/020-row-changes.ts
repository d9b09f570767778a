import { PostgresAdapter } from 'kysely';
import type { Migration } from '../migration.ts';
import { createRowChanges } from '../postgres/batching/count-row-changes.ts';

/** On PostgreSQL, what tells whether a count of rows still holds. SQLite tells it by itself. */
export const rowChanges: Migration = {
  name: '020-row-changes',
  statements: () => [],
  async change(tx) {
    if (tx.getExecutor().adapter instanceof PostgresAdapter) await createRowChanges(tx);
  },
};
