/** A table whose rows are recorded in the log of changes. */
export interface RecordedTable {
  /** The name of its resource, under which changes are recorded. */
  readonly resource: string;
  readonly table: string;
  /** The recorded columns of a row. A write that changes none of them is not recorded. */
  readonly columns: readonly string[];
  readonly versioned: boolean;
  /** A column without which a row is not recorded. */
  readonly needs?: string | undefined;
}
