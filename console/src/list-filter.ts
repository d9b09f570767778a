import type { Comparison, Scalar, Search } from '../../client/list-query.ts';

/** How a list's filter compares: said after the field's name, `plate@contains`. Without it: equals. */
export type Operator = 'contains' | 'from' | 'to' | 'until';

export const filterKey = (field: string, operator: Operator): string => `${field}@${operator}`;

/** What react-admin's filter form holds, as a search. Empty inputs ask for nothing. */
export function searchFor(filter: Record<string, unknown>): Search {
  const search: Search = {};
  for (const [key, value] of Object.entries(filter)) {
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    const [field = '', operator] = key.split('@');
    if (operator === undefined) search[field] = value as Scalar | Scalar[];
    else search[field] = { ...(search[field] as Comparison | undefined), ...comparison(operator, value as string) };
  }
  return search;
}

function comparison(operator: string, value: string): Comparison {
  switch (operator) {
    case 'contains':
      return { contains: value };
    case 'from':
      return { '>=': value };
    case 'to':
      return { '<=': value };
    case 'until':
      // A whole day: up to the midnight at its end.
      return { '<': dayAfter(value) };
    default:
      throw new RangeError(`A filter cannot compare by "${operator}".`);
  }
}

function dayAfter(day: string): string {
  const date = new Date(`${day.slice(0, 10)}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}
