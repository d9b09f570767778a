/** The data that may be dropped. A start drops nothing. */
export interface Permissions {
  /** What no declaration names any more: all that holds nothing, or what is named (`cars.color`), whatever it holds. */
  readonly drop: { readonly empty: boolean; readonly named: readonly string[] };
  /** A column that holds nothing may get another type, even where its table has rows. */
  readonly retype: boolean;
}
