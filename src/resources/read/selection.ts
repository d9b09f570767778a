import type { Resource } from '../model/resource.ts';
import { besides, type Include, keyColumns } from '../query/include-tree.ts';
import type { RowQuery } from '../query/list-query.ts';
import type { RecentRows } from './recent-rows.ts';
import { type RowShape, shapeOf } from './row-json.ts';

/** The columns that are read, and how each row is shown. */
export interface Selection {
  readonly shape: RowShape;
  readonly includes: readonly Include[];
  /** Where rows may be answered as they were written last. */
  readonly recent?: RecentRows;
}

export const selectionOf = (resource: Resource, { fields, includes }: RowQuery): Selection => ({
  shape: shapeOf(resource, besides(fields ?? resource.shown, includes), {
    extra: keyColumns(resource, includes),
    repeated: fields === undefined,
  }),
  includes,
});
