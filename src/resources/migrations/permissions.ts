/** The data that may be dropped. A start drops nothing. */
export interface Permissions {
  /** Allows the removal of undeclared tables and columns: all empty ones, or the named ones (`cars.color`) with their data. */
  readonly drop: { readonly empty: boolean; readonly named: readonly string[] };
  /** A column that holds nothing may get another type, even where its table has rows. */
  readonly retype: boolean;
}
