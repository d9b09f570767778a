import type { Engine } from '../../../database/database.ts';
import { invalidParameter, quoteForError } from '../../../http/errors/parameter-errors.ts';
import type { FieldErrorValues } from '../../../platform/errors.ts';
import type { Fragment } from '../../sql/sql-text.ts';
import type { OptionKinds } from '../option-kind.ts';
import type { ColumnSchema, Narrowing, Storage } from './column-schema.ts';
import type { AnyOptions, FieldOptions } from './field.ts';

/** One of the values of a search pair. */
export interface SearchTerm {
  readonly text: string;
  /** The term is the unescaped word `null`. */
  readonly isNull: boolean;
  /** A wildcard precedes the text. */
  readonly wildcardBefore: boolean;
  readonly wildcardAfter: boolean;
}

/** The reason why a value is rejected: a code for programs, and the end of the sentence "<field> …". */
export interface InvalidValue extends FieldErrorValues {
  readonly code: string;
  readonly message: string;
}

export const invalidValue = (code: string, message: string, values?: FieldErrorValues): InvalidValue => ({
  code,
  message,
  ...values,
});

export interface SearchedField {
  readonly name: string;
  readonly type: FieldType;
  readonly options: AnyOptions;
  readonly column: string;
  /** Whether an index serves searches and orders by it. */
  readonly indexed: boolean;
  /** The SQL expression that is compared and sorted: the folded text for texts, otherwise the column. */
  comparisonSql(alias: string): string;
  foldText(text: string): string;
}

/** The options of a type in addition to those of every field. The compiler checks that each option is listed. */
export type OwnOptions<O> = OptionKinds<Omit<O, keyof FieldOptions<unknown>>>;

/** A field type. Its functions never get null. */
export interface FieldType {
  /** The name in declarations, descriptions and stored schemas. */
  readonly name: string;

  readonly storage: Storage;
  toStored(value: unknown): unknown;
  fromStored(stored: unknown): unknown;
  toJson(stored: unknown): string;

  check(value: unknown, options: AnyOptions): InvalidValue | undefined;
  /** Parses the text of a form. Returns malformed text unchanged, so that `check` rejects it. */
  fromForm(text: string): unknown;
  /** Whether the empty text of a form is a value. By default it means no value. */
  takesEmptyText?(options: AnyOptions): boolean;

  /** The type of one field, if its options change how values are shown. */
  withOptions?(options: AnyOptions): FieldType;

  readonly ownOptions?: OptionKinds;
  checkOptions?(options: AnyOptions, report: (message: string) => void, resources: Iterable<string>): void;

  /** The JSON schema of the values, with an example that a reader can copy. */
  schema(options: AnyOptions): Record<string, unknown>;

  /** Converts the text of a search to a stored value. Undefined for an invalid text. */
  fromSearch(text: string, field: SearchedField): unknown;
  /** Ends the sentence "expected …". */
  readonly expected: string;
  readonly hasOrder: boolean;
  /** The stored values that match a search term, or a condition on the row of the aliased table. */
  matches(term: SearchTerm, field: SearchedField, engine: Engine, alias: string): readonly unknown[] | Fragment;

  /** When the field has an index: always, only if it is declared searchable or sortable (`declared`), or never. */
  readonly indexing: 'always' | 'declared' | 'never';
  /** The maximum length of a text. It decides whether the text can be indexed. */
  maxLength?(options: AnyOptions): number;
  /** Whether values are compared and sorted by a folded form. Managed tables store it in a separate column. */
  readonly isFolded?: true;

  bounds(options: AnyOptions): Pick<ColumnSchema, 'min' | 'max' | 'values' | 'precision' | 'scale'>;
  /** The restrictions of a new declaration that stored values may violate. */
  narrowings?(column: Fragment, before: ColumnSchema, after: ColumnSchema): Narrowing[];
  /** Values are plain text. A column can change between such types if the values fit. */
  readonly isPlainText?: true;
  /** Other types whose values can all be converted to this type. */
  readonly convertibleFrom?: readonly string[];
}

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
