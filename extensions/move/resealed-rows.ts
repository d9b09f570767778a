import { hash } from 'node:crypto';
import { type SealedColumn, sealedColumns } from '../../src/database/keys/sealed-columns.ts';
import type { Sealing } from '../../src/database/keys/sealing.ts';
import type { CopiedTable, Row, Value } from './tables/tables.ts';

type Change = (row: Row) => Row;

/** Encrypts each row again for the new database. */
export const createResealer = (table: CopiedTable, from: Sealing, to: Sealing): Change =>
  changeOf(table, (sealed, label) => to.seal(from.open(sealed, label).content, label));

/** Converts each row for comparison: encrypting the same content twice gives different values. */
export const createOpener = (table: CopiedTable, sealing: Sealing): Change =>
  changeOf(table, (sealed, label) => hash('sha256', sealing.open(sealed, label).content));

function changeOf({ name, columns }: CopiedTable, change: (sealed: string, label: string) => string): Change {
  const placeOf = (column: string) => columns.findIndex((each) => each.name === column);
  const sealedPlaces = sealedColumns
    .filter(({ table }) => table === name)
    .map((sealed) => ({ sealed, place: placeOf(sealed.column), labelPlace: placeOf(sealed.labelColumn) }));
  if (sealedPlaces.length === 0) return (row) => row;
  return (row) => {
    const changed: Value[] = [...row];
    for (const { sealed, place, labelPlace } of sealedPlaces)
      changed[place] = changeValue(sealed, row[place] ?? null, row[labelPlace] as string, change);
    return changed;
  };
}

function changeValue(
  { table, label, mark }: SealedColumn,
  value: Value,
  named: string,
  change: (sealed: string, label: string) => string,
): Value {
  if (typeof value !== 'string' || !value.startsWith(mark)) return value;
  try {
    return mark + change(value.slice(mark.length), label(named));
  } catch (error) {
    // If a key cannot be decrypted, the secret is wrong. Any other value that cannot be decrypted was lost with an earlier secret, and is copied
    // unchanged.
    if (table !== 'signing_keys') return value;
    throw error;
  }
}
