import type { Engine } from '../../../database/database.ts';
import type { FieldErrorValues } from '../../../platform/errors.ts';
import type { Fragment } from '../../sql/sql-text.ts';
import type { OptionKinds } from '../option-kind.ts';
import type { ColumnSchema, Narrowing, Storage } from './column-schema.ts';
import type { AnyOptions, FieldOptions } from './field.ts';

/** One of the values that a pair of a search accepts. */
export interface SearchTerm {
  readonly text: string;
  /** The unescaped word `null`. */
  readonly isNull: boolean;
  /** A wildcard stands before or after the text. */
  readonly openStart: boolean;
  readonly openEnd: boolean;
}

/** Why a value is refused: a code for programs, and the end of the sentence "<field> …". */
export interface Refusal extends FieldErrorValues {
  readonly code: string;
  readonly says: string;
}

export const refuse = (code: string, says: string, values?: FieldErrorValues): Refusal => ({ code, says, ...values });

export interface SearchedField {
  readonly name: string;
  readonly type: FieldType;
  readonly options: AnyOptions;
  readonly column: string;
  /** Whether an index serves searches and orders by it. */
  readonly indexed: boolean;
  /** The SQL of what is compared and sorted: the folded text for texts, else the column. */
  compared(alias: string): string;
  /** A search's text in the form of what is compared. */
  foldText(text: string): string;
}

/** The options that a type has besides those of every field. The compiler demands that each is listed. */
export type OwnOptions<O> = OptionKinds<Omit<O, keyof FieldOptions<unknown>>>;

/** A field type. Each has a file of its own. Its functions never get null. */
export interface FieldType {
  /** The name in declarations, descriptions and stored schemas. */
  readonly name: string;

  readonly storage: Storage;
  toStored(value: unknown): unknown;
  fromStored(stored: unknown): unknown;
  toJson(stored: unknown): string;

  check(value: unknown, options: AnyOptions): Refusal | undefined;
  /** Reads the text of a form. Returns malformed text unchanged: `check` refuses it. */
  fromForm(text: string): unknown;
  /** Whether the empty text of a form is a value. The default is no value. */
  takesEmptyText?(options: AnyOptions): boolean;

  /** The type of one field, if its options change how values are shown. */
  withOptions?(options: AnyOptions): FieldType;

  readonly ownOptions?: OptionKinds;
  checkOptions?(options: AnyOptions, complain: (what: string) => void, resources: Iterable<string>): void;

  /** The JSON schema of its values, with an example that a reader can copy. */
  schema(options: AnyOptions): Record<string, unknown>;

  /** The stored value of a text in a search. Undefined for an invalid text. */
  fromSearch(text: string, field: SearchedField): unknown;
  /** Ends the sentence "it takes …". */
  readonly takes: string;
  readonly hasOrder: boolean;
  /** The stored values that a term of a search accepts, or a condition on the row of the aliased table. */
  matches(term: SearchTerm, field: SearchedField, engine: Engine, alias: string): readonly unknown[] | Fragment;

  /** Whether there is an index of it: always, where the field is searchable or sortable, or never. */
  readonly indexing: 'always' | 'asked' | 'never';
  /** The most characters of a text, which decide whether an index takes it. */
  maxLength?(options: AnyOptions): number;
  /** Whether it is compared and sorted by a folded form, which managed tables hold in a column of its own. */
  readonly isFolded?: true;

  /** The constraints of the declaration on stored values. */
  bounds(options: AnyOptions): Pick<ColumnSchema, 'min' | 'max' | 'values' | 'precision' | 'scale'>;
  /** The ways in which stored values may break a new declaration. */
  narrowings?(column: Fragment, before: ColumnSchema, after: ColumnSchema): Narrowing[];
  /** Its values are plain text: a column can change between such types where the values fit. */
  readonly isPlainText?: true;
  /** Types whose values all become values of this one when they are stored anew. */
  readonly widens?: readonly string[];
}
