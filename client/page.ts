import type { Call, CallResponse } from './transport.ts';

export interface Pagination {
  /** Absent if the rows were not counted (cursor, `count=none`). */
  total?: number;
  /** The total is a lower bound. */
  total_capped?: boolean;
  count: number;
  per_page: number;
  current_page?: number;
  total_pages?: number;
  next_cursor?: string | null;
  links?: { next?: string | null; previous?: string | null };
}

export interface Page<Row> {
  data: Row[];
  pagination: Pagination;
  /** The position from which to follow the changes of this list. Absent if its changes are not recorded. */
  position?: string | undefined;
}

export interface Options {
  signal?: AbortSignal | undefined;
}

/** Sends a call with the token of the signed-in user. */
export type Send = <Body>(call: Call) => Promise<CallResponse<Body>>;
