import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';
import { fieldLabel, rowName } from './presentation.ts';

type Row = Record<string, unknown>;

/** The fields that distinguish rows on a phone, where there is room for three. */
export const detailsOf = (
  fields: readonly FieldDescription[],
  description: ResourceDescription,
  rows: readonly Row[],
): FieldDescription[] => fields.filter((field) => distinguishes(field, description, rows)).slice(0, 3);

const needsLabel = new Set(['integer', 'number', 'decimal', 'boolean', 'date', 'timestamp']);

/** "Seats" in "Seats 4": a label where the value alone would not say what it is. */
export const labelInLine = (field: FieldDescription): string => (needsLabel.has(field.type) ? fieldLabel(field) : '');

/** The maximum number of decimal places in a column. */
export function digitsOf({ name, type }: FieldDescription, rows: readonly Row[] = []): number {
  if (type !== 'number') return 0;
  return Math.max(0, ...rows.map((row) => String(row[name] ?? '').split('.')[1]?.length ?? 0));
}

export const isNumber = ({ type, references }: FieldDescription): boolean =>
  (type === 'integer' || type === 'number' || type === 'decimal') && references === undefined;

const isFilled = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

/**
 * Whether the field has a value that is not part of the name. Numbers never count as part of the name: "4" for four seats may be a digit of
 * the plate.
 */
function distinguishes({ name, type }: FieldDescription, description: ResourceDescription, rows: readonly Row[]) {
  if (type === 'status') return true;
  const isInName = (row: Row) => typeof row[name] === 'string' && rowName(description, row).includes(row[name]);
  return rows.some((row) => isFilled(row[name]) && !isInName(row));
}
