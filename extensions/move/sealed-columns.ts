import { hash } from 'node:crypto';
import type { Sealing } from '../../src/database/keys/sealing.ts';
import { authenticatorLabel } from '../../src/identity/factors/authenticator-store.ts';
import { jobLabel, sealedMark } from '../../src/resources/queue/attempt.ts';
import { legacyLabel } from '../passport/legacy-tokens/legacy-keys.ts';
import type { CopiedTable, Row, Value } from './tables/tables.ts';

interface SealedColumn {
  readonly column: string;
  readonly label: (id: string) => string;
  /** The prefix of an encrypted value, in columns that also have plain values. */
  readonly mark: string;
  /** A value that can no longer be decrypted is kept unchanged: its work has been given up. */
  readonly mayBeLost?: true;
}

/** The columns that are encrypted with the secret of a database. A move encrypts them again with the secret of the new database. */
const sealedColumns = new Map<string, SealedColumn>([
  ['signing_keys', { column: 'sealed_private', label: (id) => id, mark: '' }],
  ['authenticators', { column: 'sealed_secret', label: authenticatorLabel, mark: '' }],
  ['legacy_keys', { column: 'sealed', label: legacyLabel, mark: '' }],
  ['queued_jobs', { column: 'data', label: jobLabel, mark: sealedMark, mayBeLost: true }],
]);

type Change = (row: Row) => Row;
const unchangedRow: Change = (row) => row;

/** Encrypts each row again for the new database. */
export const createResealer = (table: CopiedTable, from: Sealing, to: Sealing): Change =>
  changeOf(table, (sealed, label) => to.seal(from.open(sealed, label).content, label));

/** Converts each row for comparison: encrypting the same content twice gives different values. */
export const createOpener = (table: CopiedTable, sealing: Sealing): Change =>
  changeOf(table, (sealed, label) => hash('sha256', sealing.open(sealed, label).content));

function changeOf({ name, columns }: CopiedTable, change: (sealed: string, label: string) => string): Change {
  const sealed = sealedColumns.get(name);
  if (!sealed) return unchangedRow;
  const place = columns.findIndex((column) => column.name === sealed.column);
  const id = columns.findIndex((column) => column.name === 'id');
  return (row) => {
    const value = row[place];
    if (typeof value !== 'string' || !value.startsWith(sealed.mark)) return row;
    try {
      const changed = sealed.mark + change(value.slice(sealed.mark.length), sealed.label(row[id] as string));
      return row.map((cell, i): Value => (i === place ? changed : cell));
    } catch (error) {
      if (sealed.mayBeLost) return row;
      throw error;
    }
  };
}
