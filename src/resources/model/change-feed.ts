import type { Resources } from './resource.ts';

/** Writes the position of a list in the change log. A client follows the changes from there on. */
export interface ListPositions {
  /** Call it before the list query. */
  before(): number | Promise<number>;
  /** A column for the statement of the list. It returns the snapshot of the statement. */
  readonly column: string;
  /** `positionBefore`: the result of `before`. `columnValue`: undefined without rows. */
  write(positionBefore: number, columnValue: unknown): string;
  /** Part of the ETag, so that a client does not get 304 with a position that is too old. */
  readonly history: string;
}

/** A change as `/v1/changes` shows it to a caller who may see every row. */
export interface RecordedChange {
  readonly resource: string;
  readonly id: string;
  readonly operation: 'created' | 'updated' | 'deleted';
  readonly version: number | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly actor: { readonly user_id: string | null; readonly client_id: string | null } | null;
  readonly at: string;
}

/** Publishes the changes that the database records. */
export interface ChangeFeed {
  readonly positions: ListPositions;
  /** Call it after this process has written recorded rows. */
  wake(): void;
  /** All recorded changes of one resource or of all resources, for tests. */
  recorded(resources: Resources, name?: string): Promise<RecordedChange[]>;
}
