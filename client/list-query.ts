/** A value that a field can be compared with. */
export type Scalar = string | number | boolean | null | Date;

/** Comparisons. If a field has several, all must match: `{ '>=': 2, '<': 9 }`. */
export interface Comparison {
  '>'?: Scalar;
  '>='?: Scalar;
  '<'?: Scalar;
  '<='?: Scalar;
  '!='?: Scalar;
  startsWith?: string;
  endsWith?: string;
  contains?: string;
}

/** The condition on each field: a value, one of several values, or comparisons. All fields must match. */
export type Search = Record<string, Scalar | readonly Scalar[] | Comparison | undefined>;

/** The query of a list. The names are those of the service's query parameters. */
export interface ListQuery {
  search?: Search | string;
  searchJoin?: 'and' | 'or';
  orderBy?: string | readonly string[];
  sortedBy?: 'asc' | 'desc' | readonly ('asc' | 'desc')[];
  /** The fields to return. The default is all. */
  filter?: readonly string[];
  /** Relations to embed, two levels deep at most: `['owner', 'owner.cars']`. */
  include?: readonly string[];
  /** From 1. */
  page?: number;
  limit?: number;
  /** Pages by position: empty for the first page, then `nextCursor` of the previous response. */
  cursor?: string;
  count?: 'exact' | 'none';
  /** Only deleted rows, or all rows, of a resource with `softDelete`. */
  deleted?: 'only' | 'with';
}

/** Escapes a text, so that `search` uses it as a literal value. */
export const escapeSearchValue = (value: string): string => value.replace(/[\\;,*]/g, '\\$&');

export interface SearchParameters {
  search: string;
  /** How to read the fields whose values are literal, although they look like an operator or like null. */
  searchFields: string;
}

/** The query parameters of a search. */
export function searchOf(search: Search): SearchParameters {
  const pairs: string[] = [];
  const exact: string[] = [];
  for (const [field, wanted] of Object.entries(search)) {
    if (wanted === undefined) continue;
    if (isComparison(wanted)) {
      const comparisons = Object.entries(wanted).filter(([, value]) => value !== undefined);
      for (const [operator, value] of comparisons) pairs.push(`${field}:${compared(operator, value)}`);
      if (!looksLikeOperator(wanted.startsWith)) continue;
      if (comparisons.some(([operator]) => !wildcardOperators.has(operator)))
        throw new RangeError(`search.${field} cannot compare and search for such a text at the same time.`);
      exact.push(`${field}:like`);
      continue;
    }
    const values = isList(wanted) ? wanted : [wanted];
    if (values.length === 0) throw new RangeError(`search.${field} is an empty list: it could match nothing.`);
    pairs.push(`${field}:${values.map(plain).join(',')}`);
    if (!values.some(needsEscape)) continue;
    if (values.includes(null))
      throw new RangeError(`search.${field} cannot search for null and for such a text at the same time.`);
    exact.push(`${field}:${values.length > 1 ? 'in' : '='}`);
  }
  return { search: pairs.join(';'), searchFields: exact.join(';') };
}

const wildcardOperators = new Set(['startsWith', 'endsWith', 'contains']);

/** A text that the service would read as a comparison. It ignores leading spaces. */
const looksLikeOperator = (value: unknown): boolean => typeof value === 'string' && /^ *([<>]|!=)/.test(value);

/** A text that the service would read as a comparison or as null. */
const needsEscape = (value: Scalar): boolean =>
  looksLikeOperator(value) || (typeof value === 'string' && /^ *null$/.test(value));

const isList = (wanted: Search[string]): wanted is readonly Scalar[] => Array.isArray(wanted);

const isComparison = (wanted: Search[string]): wanted is Comparison =>
  typeof wanted === 'object' && wanted !== null && !(wanted instanceof Date) && !Array.isArray(wanted);

function plain(value: Scalar): string {
  return escapeSearchValue(value instanceof Date ? value.toISOString() : String(value));
}

function compared(operator: string, value: Scalar): string {
  switch (operator) {
    case 'startsWith':
      return `${plain(value)}*`;
    case 'endsWith':
      return `*${plain(value)}`;
    case 'contains':
      return `*${plain(value)}*`;
    default:
      if (typeof value === 'string' && /^(=| *null$)/.test(value)) {
        throw new RangeError(`search: "${value}" cannot be compared by ${operator}.`);
      }
      return `${operator}${plain(value)}`;
  }
}

/** The query string of a list or of a single row, with its `?`. Empty if there are no parameters. */
export function queryStringOf(
  query: ListQuery & { aggregate?: readonly string[]; groupBy?: readonly string[] },
): string {
  const parameters = new URLSearchParams();
  const set = (name: string, value: string | number | undefined) => {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  };
  const { search, orderBy, sortedBy } = query;
  const searched = typeof search === 'object' ? searchOf(search) : { search, searchFields: undefined };
  set('search', searched.search);
  set('searchFields', searched.searchFields);
  // A service with COMPAT=apiato… joins conditions with `or` by default.
  const hasSeveral = typeof search === 'object' && searched.search?.includes(';');
  set('searchJoin', query.searchJoin ?? (hasSeveral ? 'and' : undefined));
  set('orderBy', joined(orderBy, ';'));
  set('sortedBy', joined(sortedBy, ';'));
  set('filter', joined(query.filter, ';'));
  set('include', joined(query.include, ','));
  set('page', query.page);
  set('limit', query.limit);
  set('count', query.count);
  set('deleted', query.deleted);
  set('aggregate', joined(query.aggregate, ','));
  set('groupBy', joined(query.groupBy, ','));
  if (query.cursor !== undefined) parameters.set('cursor', query.cursor);
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

const joined = (value: string | readonly string[] | undefined, by: string): string | undefined =>
  typeof value === 'object' ? value.join(by) : value;
