import type { Fragment } from '../../sql/sql-text.ts';

export type Storage = 'text' | 'bigint' | 'real';

/** A column as the last declaration wanted it. Kept in the database, and compared with the next declaration. */
export interface ColumnSchema {
  readonly field: string;
  /** The name of the field's type, or `folded`. */
  readonly type: string;
  readonly storage: Storage;
  readonly required: boolean;
  /** The stored form of a default that is the same for every row. */
  readonly default?: unknown;
  readonly references?: { readonly table: string; readonly onDelete: 'restrict' | 'cascade' | 'set null' };
  readonly min?: number;
  readonly max?: number;
  readonly precision?: number;
  readonly scale?: number;
  readonly values?: readonly string[];
  /** No declaration names it any more. It stays until the operator drops it. */
  readonly unnamed?: true;
  /** Of a folded column: the column it is made from. */
  readonly from?: string;
}

/** A way in which existing rows break the new declaration of a column. */
export interface Narrowing {
  readonly breaks: Fragment;
  /** Begins with a verb in the plural: "have more than 10 characters in it". */
  readonly says: string;
}
