import type { ResourceDefinition } from '../../../src/resources/declaration/define-resource.ts';
import { listParameters } from '../../../src/resources/query/list-query.ts';

type Query = Record<string, string>;

/** More are rejected: each field adds a text search to every row. */
const maxFields = 10;

/** The searchable text fields of a resource. */
export const wordFields = ({ fields }: ResourceDefinition): string[] =>
  Object.entries(fields)
    .filter(([, { type, options }]) => type === 'text' && options.searchable)
    .map(([name]) => name)
    .slice(0, maxFields);

/** Like Apiato: ignores unknown parameters, searches all fields for a single word, and joins pairs with `or`. */
export function readAsApiato(query: Query, searchable: readonly string[]): void {
  for (const name of Object.keys(query)) if (!listParameters.has(name)) delete query[name];
  if (query.search && !query.search.includes(':') && searchable.length > 0) {
    const requestedFields = (query.searchFields ?? '').split(';').map((field) => field.split(':')[0]?.trim() ?? '');
    const fields = searchable.filter((field) => requestedFields.includes(field));
    const word = query.search.replace(/[;,*\\]/g, '\\$&');
    query.search = `${(fields.length > 0 ? fields : searchable).join('|')}:*${word}*`;
    delete query.searchFields;
  }
  if (query.search !== undefined && query.searchJoin === undefined) query.searchJoin = 'or';
}

/** Replaces old ids in a search. `targetOf`: the resource of an id field. */
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
