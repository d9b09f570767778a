import type { CommitCounts, Engine } from '../../database/database.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';
import type { Resource } from '../model/resource.ts';
import { type Include, keyColumns, withoutIncluded } from '../query/include-tree.ts';
import { defaultRowQuery, type RowQuery } from '../query/list-query.ts';
import { defaultSort, type Sort } from '../query/sorting.ts';
import type { CompiledStatement } from '../sql/executor.ts';
import { PageCache, RowCache } from './json-caches.ts';
import { type RowShape, shapeOf } from './row-json.ts';

/** The columns to read, and the functions that serialize a row. */
export interface Selection {
  readonly shape: RowShape;
  readonly includes: readonly Include[];
  /** The cache of serialized rows, if rows of this selection may be cached. */
  readonly rowCache?: RowCache;
}

const selectionOf = (resource: Resource, { fields, includes }: RowQuery): Selection => ({
  shape: shapeOf(resource, withoutIncluded(fields ?? resource.shown, includes), {
    extra: keyColumns(resource, includes),
    prepared: fields === undefined,
  }),
  includes,
});

/** The caches for reads of one resource. All of them can be rebuilt. */
class ResourceCache {
  /** The selection of requests without `filter` and `include`. */
  readonly selection: Selection;
  readonly sort: Sort;
  readonly pages = new PageCache();
  readonly counts: Partial<Record<Engine, CompiledStatement>> = {};
  /** The last count of the table, and the state of the change counters at that time. */
  lastCount: { readonly rows: number; readonly changes: CommitCounts } | undefined;
  /** False: the changes of this table are not counted. */
  countsChanges = true;

  constructor(resource: Resource) {
    const selection = selectionOf(resource, defaultRowQuery);
    this.selection = selection.shape.dependsOnRow ? { ...selection, rowCache: new RowCache() } : selection;
    this.sort = defaultSort(resource);
  }
}

const byResource = new WeakMap<Resource, ResourceCache>();

const createCache = (resource: Resource): ResourceCache => new ResourceCache(resource);

export const cacheOf = (resource: Resource): ResourceCache => getOrCreate(byResource, resource, createCache);

export const selectionFor = (resource: Resource, query: RowQuery): Selection =>
  query.fields === undefined && query.includes.length === 0
    ? cacheOf(resource).selection
    : selectionOf(resource, query);
