import { invalidParameter, quoteForError } from '../../../http/errors/parameter-errors.ts';
import type { AnyOptions } from './field.ts';
import type { FieldType, SearchedField, SearchTerm } from './field-type.ts';

const unchanged = (value: unknown): unknown => value;

/** Converts the text of a search to a stored value. Responds 400 if the field cannot have this value. */
export function toSearchValue(text: string, field: SearchedField): unknown {
  const { type, name } = field;
  const stored = type.fromSearch(text, field);
  if (stored === undefined)
    throw invalidParameter(`search: ${name} takes ${type.expected}, not ${quoteForError(text)}.`);
  return stored;
}

export function rejectWildcard({ wildcardBefore, wildcardAfter }: SearchTerm, { name, type }: SearchedField): void {
  if (wildcardBefore || wildcardAfter)
    throw invalidParameter(`search: ${name} takes no wildcard; expected ${type.expected}.`);
}

const boundsOf = ({ min, max }: AnyOptions) => ({
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
});

/** The default implementation for most types: one value in one column, compared as it is stored. */
export const plainValues = {
  fromForm: unchanged,
  toStored: unchanged,
  fromStored: unchanged,
  hasOrder: true,
  matches(term, field) {
    rejectWildcard(term, field);
    return [toSearchValue(term.text, field)];
  },
  indexing: 'declared',
  bounds: boundsOf,
} as const satisfies Partial<FieldType>;

/** Characters that JSON must escape. A surrogate may be half a pair. */
const needsEscape = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

export const textValues = {
  ...plainValues,
  storage: 'text',
  /** As JSON.stringify, but faster for texts without escapes. */
  toJson: (stored: string): string => (needsEscape.test(stored) ? JSON.stringify(stored) : `"${stored}"`),
} as const satisfies Partial<FieldType>;

/** Values that are stored as JSON, and never sorted. */
export const jsonValues = {
  ...plainValues,
  storage: 'text',
  toStored: (value: unknown): unknown => JSON.stringify(value),
  fromStored: (stored: string): unknown => JSON.parse(stored),
  toJson: (stored: string): string => stored,
  indexing: 'never',
} as const satisfies Partial<FieldType>;
