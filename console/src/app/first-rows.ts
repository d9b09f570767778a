import { home } from '../data/api.ts';
import type { FieldDescription } from '../data/descriptions.ts';
import { type PrefetchedRows, readRaStore } from '../data/prefetched-rows.ts';
import { detailsOf, digitsOf, isNumber, labelInLine } from '../text/details.ts';
import { columnsOf, fieldLabel, labelOf, rowName, showPath } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { emptyValueText, valueText } from '../text/value-text.ts';
import { brand } from './brand.ts';

/** The table of text is not shown earlier, because it would flicker if it were replaced soon. */
const patience = 2000;
/** Columns whose cells need more data than the row. */
const unknown = new Set(['status', 'last_sign_in']);

/** On a slow connection, the rows arrive before the code that draws them. They are shown as text until the list is drawn. */
export async function showFirstRows(
  place: HTMLElement,
  { description, response }: PrefetchedRows,
  isRendered: () => boolean,
) {
  const { name, operations } = description;
  const { data } = await response;
  await new Promise((resolve) => setTimeout(resolve, patience - performance.now()));
  // The audit trail is not shown as a table.
  if (isRendered() || data.length === 0 || name === 'events') return;
  const hidden = readRaStore<string[]>(name, 'datatable') ?? [];
  const [first, ...otherColumns] = columnsOf(description).filter((field) => !hidden.includes(field.name));
  if (!first) return;
  const columns = [first, ...otherColumns];
  const linked = columns.find(({ references }) => references === undefined);
  const textOf = (field: FieldDescription, row: Record<string, unknown>): string => {
    if (field.references !== undefined) return row[field.name] ? '…' : emptyValueText;
    if (field.type === 'person') return rowName(description, row);
    return unknown.has(field.type) ? '' : valueText(field, row[field.name], digitsOf(field, data));
  };
  const hasPage = operations.has('find');
  const linkTo = (row: Record<string, unknown>, ...content: (Node | string)[]) => {
    const link = make('a', ...content);
    if (hasPage) link.href = home + showPath(name, row.id);
    return link;
  };
  const cell = (tag: 'th' | 'td', field: FieldDescription, content: Node | string) =>
    named(isNumber(field) ? 'numbers' : '', make(tag, content));
  const cellOf = (field: FieldDescription, row: Record<string, unknown>) =>
    cell('td', field, field === linked && hasPage ? linkTo(row, textOf(field, row)) : textOf(field, row));
  const table = () =>
    make(
      'table',
      make('thead', make('tr', ...columns.map((field) => cell('th', field, fieldLabel(field))))),
      make('tbody', ...data.map((row) => make('tr', ...columns.map((field) => cellOf(field, row))))),
    );
  const details = detailsOf(otherColumns, description, data);
  const detailOf = (field: FieldDescription, row: Record<string, unknown>) =>
    make('span', `${labelInLine(field)} ${textOf(field, row)}`);
  const line = (row: Record<string, unknown>) => {
    const shown = named('details', make('span', ...details.map((field) => detailOf(field, row))));
    return make('li', linkTo(row, named('name', make('span', textOf(first, row))), shown));
  };
  /** On a phone, like `PhoneRows`. */
  const list = () => named('rows', make('ul', ...data.map(line)));
  const logo = make('img');
  Object.assign(logo, { src: brand.logo, alt: '' });
  const status = make('p', translate('Opening the console…'));
  status.role = 'status';
  const rows = matchMedia('(width < 900px)').matches ? list() : table();
  const header = make('header', logo, brand.name);
  const page = named('first-rows', make('div', header, make('main', make('h1', labelOf(description)), status, rows)));
  // Hides the console until the list removes it.
  place.before(page);
}

export const removeFirstRows = (): void => document.querySelector('.first-rows')?.remove();

function make<K extends keyof HTMLElementTagNameMap>(name: K, ...content: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  element.append(...content);
  return element;
}

function named<Of extends Element>(className: string, element: Of): Of {
  if (className) element.className = className;
  return element;
}
