import type { Macs } from '../../database/keys/mac-keys.ts';
import type { Fragment } from '../sql/sql-text.ts';
import type { ListPositions } from './change-feed.ts';
import type { Resource } from './resource.ts';
import type { QueryContext } from './row-rules.ts';

export interface PageLinks {
  readonly next: string | null;
  readonly previous?: string | null;
}

export interface Paging {
  readonly keys: Macs;
  /** The URL of the request. Pages with a URL are cached. */
  readonly url?: string;
  /** The address of the same list with some parameters changed. */
  linkTo(changes: Record<string, string>): string;
  setLinks(links: PageLinks): void;
  /** Limits the list to the rows of a parent. */
  readonly parent?: { readonly condition: Fragment; readonly name: string };
  /** For resources with `changes`. */
  readonly positions?: ListPositions | undefined;
  /** Sets the ETag of a list with a position, because the position changes while the list stays the same. */
  setEtag?(etag: string): void;
}

/** A request for a list with the parameter `aggregate`. It orders groups, not rows. */
export interface AggregatedList {
  readonly search: Fragment;
  readonly limit: number;
  readonly page: number;
  readonly aggregates: AggregateParameters;
}

export interface AggregateParameters extends Partial<Record<'groupBy' | 'orderBy' | 'sortedBy', string | undefined>> {
  readonly aggregate: string;
}

/** Returns the response: figures about the rows of a list instead of the rows. */
export type AggregateRows = (
  context: QueryContext,
  resource: Resource,
  list: AggregatedList,
  paging: Paging,
) => Promise<string>;
