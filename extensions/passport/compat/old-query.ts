import { listParameters } from '../../../src/resources/query/list-query.ts';

type Query = Record<string, string>;

/** Apiato ignores parameters that it does not know, and joins pairs of a search by `or` unless it is told otherwise. */
export function readAsApiato(query: Query): void {
  for (const name of Object.keys(query)) if (!listParameters.has(name)) delete query[name];
  if (query.search !== undefined && query.searchJoin === undefined) query.searchJoin = 'or';
}

/** Fields of a search whose values are ids, with what those ids are of. */
export async function resolveSearch(
  search: string,
  targetOf: (field: string) => string | undefined,
  resolve: (target: string, value: string) => Promise<string>,
): Promise<string> {
  const pairs = search.split(';').map(async (pair) => {
    const colon = pair.indexOf(':');
    const target = colon < 0 ? undefined : targetOf(pair.slice(0, colon));
    return target === undefined ? pair : `${pair.slice(0, colon)}:${await resolve(target, pair.slice(colon + 1))}`;
  });
  return (await Promise.all(pairs)).join(';');
}
