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
  const columns = [
    first,
    ...(matchMedia('(width < 900px)').matches ? detailsOf(otherColumns, description, data) : otherColumns),
  ];
  const linked = columns.find(({ references }) => references === undefined);
  const cellOf = (field: FieldDescription, row: Record<string, unknown>) => {
    if (field.references !== undefined) return make('td', row[field.name] ? '…' : emptyValueText);
    if (unknown.has(field.type)) return make('td');
    if (field.type === 'person') return make('td', linkTo(row, rowName(description, row)));
    const text = valueText(field, row[field.name], digitsOf(field, data));
    return make('td', field === linked ? linkTo(row, text) : text);
  };
  const linkTo = (row: Record<string, unknown>, text: string) => {
    if (!operations.has('find')) return text;
    const link = make('a', text);
    link.href = home + showPath(name, row.id);
    return link;
  };
  const styled = <Cell extends HTMLElement>(cell: Cell, field: FieldDescription): Cell => {
    cell.dataset.label = labelInLine(field);
    if (isNumber(field)) cell.className = 'numbers';
    return cell;
  };
  const logo = make('img');
  Object.assign(logo, { src: brand.logo, alt: '' });
  const status = make('p', translate('Opening the console…'));
  status.role = 'status';
  const table = make(
    'table',
    make('thead', make('tr', ...columns.map((field) => styled(make('th', fieldLabel(field)), field)))),
    make('tbody', ...data.map((row) => make('tr', ...columns.map((field) => styled(cellOf(field, row), field))))),
  );
  const page = make(
    'div',
    make('header', logo, brand.name),
    make('main', make('h1', labelOf(description)), status, table),
  );
  page.className = 'first-rows';
  // Hides the console until the list removes it.
  place.before(page);
}

export const removeFirstRows = (): void => document.querySelector('.first-rows')?.remove();

function make<K extends keyof HTMLElementTagNameMap>(name: K, ...content: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  element.append(...content);
  return element;
}
