import type { Context } from '../../../src/database/context.ts';
import { invalidParameter, unknownName } from '../../../src/http/errors/parameter-errors.ts';
import { insufficientScope } from '../../../src/http/gate/unauthorized.ts';
import { type Caller, hasScope } from '../../../src/platform/caller.ts';
import { getOrCreate } from '../../../src/platform/get-or-create.ts';
import { splitList } from '../../../src/platform/split-list.ts';
import type { Resource, Resources } from '../../../src/resources/model/resource.ts';
import { queryContext } from '../../../src/resources/model/row-rules.ts';
import { type ListQuery, readListQuery } from '../../../src/resources/query/list-query.ts';
import { searchSql } from '../../../src/resources/read/compile-list-query.ts';
import type { Fragment } from '../../../src/resources/sql/sql-text.ts';
import { readCondition } from './condition-holds.ts';
import type { LoggedChange } from './logged-change.ts';
import { evaluateVisibility, type Visibility } from './view-store.ts';

/** The subscribed resources, with the search that their rows must match. */
export interface Subscription {
  readonly caller: Caller;
  readonly resources: ReadonlyMap<string, { readonly resource: Resource; readonly search: Fragment }>;
  /** The search parameters, to compare subscriptions. */
  readonly key: string;
}

type SubscriptionQuery = {
  readonly [K in 'resources' | 'search' | 'searchJoin' | 'searchFields']?: string | undefined;
};

export const recordedResources = (resources: Resources): Map<string, Resource> =>
  new Map([...resources].filter(([, { changes }]) => changes !== undefined));

/**
 * Checks a subscription. 400 for a resource without changes or an invalid search, 403 for a resource that the caller may not read.
 * The default of `resources` is all that the caller may read.
 */
export function readSubscription(
  { database, now: clock }: Pick<Context, 'database' | 'now'>,
  all: Resources,
  caller: Caller,
  wanted: SubscriptionQuery,
): Subscription {
  const now = clock();
  const { resources: text, search, searchJoin, searchFields } = wanted;
  const recorded = recordedResources(all);
  const names = text === undefined ? readable(recorded, caller, now) : splitNames(text);
  const searchParameters = Object.entries({ search, searchJoin, searchFields });
  const query = Object.fromEntries(
    searchParameters.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const context = { engine: database.engine, caller, now };
  const resources = new Map(
    names.map((name) => {
      const resource = recorded.get(name);
      if (!resource) {
        const reason = readable(all, caller, now).includes(name)
          ? 'records no changes (no `changes: true`)'
          : undefined;
        throw unknownName('resources: the resource', name, [...recorded.keys()], 'resource_unknown', reason);
      }
      if (!hasScope(caller, resource.readScope)) throw insufficientScope(resource.readScope);
      // Throws if the caller may see no row.
      readCondition(resource, { caller, now });
      const listQuery = readListQuery(resource, query, caller);
      rejectRelations(listQuery);
      return [name, { resource, search: searchSql(context, resource, listQuery) }];
    }),
  );
  return { caller, resources, key: JSON.stringify(query) };
}

/** A change contains the old row, but not the old related rows. */
function rejectRelations({ search }: Pick<ListQuery, 'search'>): void {
  const through = search.flat().find(({ field }) => field.includes('.'));
  if (through) {
    throw invalidParameter(
      `search: changes cannot be searched through relations, as "${through.field.slice(0, 100)}" does.`,
    );
  }
}

function splitNames(text: string): string[] {
  const names = [...new Set(splitList(text, ','))];
  if (names.length === 0) throw invalidParameter('resources: name them, separated by ,');
  return names;
}

function readable(resources: Resources, caller: Caller, now: number): string[] {
  const allowed = (resource: Resource): boolean => {
    try {
      return hasScope(caller, resource.readScope) && !readCondition(resource, { caller, now }).includes(false);
    } catch {
      return false;
    }
  };
  return [...resources.values()].filter(allowed).map(({ name }) => name);
}

/** A key that is equal for callers who see the same rows. Conditions on related rows can differ between callers. */
function rightsOf(resource: Resource, caller: Caller, now: number): string {
  const rules = JSON.stringify(readCondition(resource, { caller, now }));
  if (!rules.includes('"related"')) return rules;
  const { kind, userId, clientId, roles, scopes } = caller;
  return `${rules} ${JSON.stringify([kind, userId, clientId, roles, scopes])}`;
}

/** A change as a subscriber sees it. */
export interface VisibleChange {
  readonly change: LoggedChange;
  readonly operation: string;
  readonly json: string;
}

/** The changes that one subscriber sees. */
export async function visibleChanges(
  context: Context,
  subscription: Subscription,
  changes: readonly LoggedChange[],
  history: string,
): Promise<VisibleChange[]> {
  const sights = await visibilityEvaluator(context, changes)(subscription);
  return changes.flatMap((change) => {
    const sight = sights.get(change.resource.name)?.get(change);
    const json = sight && change.jsonFor(sight, history);
    return json === undefined || !sight ? [] : [{ change, operation: change.operationFor(sight), json }];
  });
}

/** Evaluates some changes for all subscribers. Subscribers with the same rights share one evaluation. */
export function visibilityEvaluator(context: Context, changes: readonly LoggedChange[]) {
  const byResource = Map.groupBy(changes, ({ resource }) => resource.name);
  const evaluated = new Map<string, Promise<Visibility>>();
  return async ({ caller, resources, key }: Subscription): Promise<Map<string, Visibility>> => {
    const now = context.now();
    const sights = new Map<string, Visibility>();
    for (const [name, { resource, search }] of resources) {
      const ofResource = byResource.get(name);
      if (!ofResource) continue;
      const rights = `${name} ${key} ${rightsOf(resource, caller, now)}`;
      const query = queryContext(context.database, { caller, now });
      sights.set(
        name,
        await getOrCreate(evaluated, rights, () => evaluateVisibility(query, resource, ofResource, search)),
      );
    }
    return sights;
  };
}
