import { lazy } from '../platform/lazy.ts';
import type { AggregateRows } from '../resources/model/paging.ts';

const load = lazy(() => import('../../extensions/aggregates/aggregate-store.ts'));

/** Loads the extension with the first list that has the parameter `aggregate`. */
export const aggregateRows: AggregateRows = async (...list) => (await load()).aggregateRows(...list);
