import type { Comparison, Scalar, Search } from '../../../client/list-query.ts';

/** How a list's filter compares: said after the field's name, `plate@contains`. Without it: equals. */
export type Operator = 'contains' | 'from' | 'to' | 'since' | 'until' | 'range' | 'days';

export const filterKey = (field: string, operator: Operator): string => `${field}@${operator}`;

/** Looks for a text in several fields: one of them must hold it. */
export const anywhereKey = (fields: readonly { name: string }[]): string =>
  filterKey(fields.map(({ name }) => name).join('|'), 'contains');

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
    // A moment is asked for by the day, as the person's own clock has it.
    case 'range':
      return between(
        value as unknown as Range,
        (end) => end,
        '<=',
        (end) => end,
      );
    case 'days':
      return between(
        value as unknown as Range,
        (day) => midnight(String(day), 0),
        '<',
        (day) => midnight(String(day), 1),
      );
    case 'since':
      return { '>=': midnight(value, 0) };
    case 'until':
      return { '<': midnight(value, 1) };
    default:
      throw new RangeError(`A filter cannot compare by "${operator}".`);
  }
}

interface Range {
  from?: Scalar;
  to?: Scalar;
}

const isGiven = (end: Scalar | undefined): end is Scalar => end !== undefined && end !== null && end !== '';

/** Either end may be open. */
function between(
  { from, to }: Range,
  first: (end: Scalar) => Scalar,
  upTo: '<' | '<=',
  last: (end: Scalar) => Scalar,
): Comparison {
  return { ...(isGiven(from) ? { '>=': first(from) } : {}), ...(isGiven(to) ? { [upTo]: last(to) } : {}) };
}

function midnight(day: string, daysLater: number): Date {
  const [year = 0, month = 1, date = 1] = day.slice(0, 10).split('-').map(Number);
  return new Date(year, month - 1, date + daysLater);
}
