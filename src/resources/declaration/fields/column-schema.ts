import type { Fragment } from '../../sql/sql-text.ts';

export type Storage = 'text' | 'bigint' | 'real';

/** A column as the last declaration defined it. It is stored in the database and compared with the next declaration. */
export interface ColumnSchema {
  readonly field: string;
  /** The name of the field's type, or `folded`. */
  readonly type: string;
  readonly storage: Storage;
  readonly required: boolean;
  /** The stored form of a default that is constant. */
  readonly default?: unknown;
  readonly references?: { readonly table: string; readonly onDelete: 'restrict' | 'cascade' | 'set null' };
  readonly min?: number;
  readonly max?: number;
  readonly precision?: number;
  readonly scale?: number;
  readonly values?: readonly string[];
  /** The column is no longer declared. It stays until the operator drops it. */
  readonly unnamed?: true;
  /** For a folded column: its source column. */
  readonly from?: string;
}

/** A restriction in a new declaration that existing rows may violate. */
export interface Narrowing {
  readonly violated: Fragment;
  /** The end of a sentence, with a verb in the plural: "have more than 10 characters in it". */
  readonly description: string;
}
