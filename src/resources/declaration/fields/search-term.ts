/** One of the values that a pair of a search accepts. */
export interface SearchTerm {
  readonly text: string;
  /** The unescaped word `null`. */
  readonly isNull: boolean;
  /** A wildcard stands before or after the text. */
  readonly openStart: boolean;
  readonly openEnd: boolean;
}
