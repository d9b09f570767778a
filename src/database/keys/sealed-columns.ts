import type { Tables } from '../tables/tables.ts';

/** A column that is encrypted with the secret of the database. Each table has a text column `id` as its key. */
export interface SealedColumn {
  readonly table: keyof Tables;
  readonly column: string;
  readonly label: (value: string) => string;
  /** The column of the same row that the label names. */
  readonly labelColumn: 'id' | 'user_id';
  /** The prefix of an encrypted value, in columns that also have plain values. */
  readonly mark: string;
}

export const authenticatorLabel = (id: string): string => `authenticator ${id}`;
export const jobLabel = (id: string): string => `job ${id}`;
export const legacyLabel = (id: string): string => `legacy ${id}`;
export const webhookLabel = (userId: string): string => `webhook ${userId}`;

export const sealedMark = 'sealed:';

const labelledById = { labelColumn: 'id', mark: '' } as const;
const webhookSecret = { table: 'webhooks', labelColumn: 'user_id', label: webhookLabel, mark: '' } as const;

/**
 * All encrypted columns, also those of extensions. They are encrypted again when the secret changes, and when `gatehouse move` copies them.
 * Two columns are not in this list: `change_tickets.sealed_token` is valid for one minute, and `idempotency_keys.body` is encrypted with a
 * key that only the caller has.
 */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'signing_keys', column: 'sealed_private', label: (id) => id, ...labelledById },
  { table: 'authenticators', column: 'sealed_secret', label: authenticatorLabel, ...labelledById },
  { table: 'legacy_keys', column: 'sealed', label: legacyLabel, ...labelledById },
  { column: 'sealed_secret', ...webhookSecret },
  { column: 'sealed_previous', ...webhookSecret },
  { table: 'queued_jobs', column: 'data', label: jobLabel, ...labelledById, mark: sealedMark },
];
