import { home } from '../data/api.ts';
import type { FieldDescription } from '../data/descriptions.ts';
import { keptAs, type RowsAhead } from '../data/rows-ahead.ts';
import { columnsOf, fieldLabel, labelOf, rowName } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { valueText } from '../text/value-text.ts';
import { brand } from './brand.ts';

/** The table of text is not shown earlier, because it would flicker if it were replaced soon. */
const patience = 2000;
/** Columns whose cells need more data than the row. */
const unknown = new Set(['status', 'last_sign_in']);

/** On a slow connection, the rows arrive before the code that draws them. They are shown as text until then. */
export async function showFirstRows(
  place: HTMLElement,
  { description, answer }: RowsAhead,
  isDrawn: () => boolean,
): Promise<void> {
  const { name, operations } = description;
  const { data } = await answer;
  await new Promise((resolve) => setTimeout(resolve, patience - performance.now()));
  // The audit trail is not shown as a table.
  if (isDrawn() || data.length === 0 || name === 'events') return;
  const hidden = keptAs<string[]>(name, 'datatable') ?? [];
  const columns = columnsOf(description).filter((field) => !hidden.includes(field.name));
  const linked = columns.find(({ references }) => references === undefined);
  const cell = (field: FieldDescription, row: Record<string, unknown>) => {
    if (field.references !== undefined || unknown.has(field.type)) return make('td');
    const text = field.type === 'person' ? rowName(description, row) : valueText(field, row[field.name]);
    if (field !== linked || !operations.has('find')) return make('td', text);
    const link = make('a', text);
    link.href = `${home}/${name}/${encodeURIComponent(String(row.id))}/show`;
    return make('td', link);
  };
  const logo = make('img');
  Object.assign(logo, { src: brand.logo, alt: '' });
  const status = make('p', say('Opening the console…'));
  status.role = 'status';
  const table = make(
    'table',
    make('thead', make('tr', ...columns.map((field) => make('th', fieldLabel(field))))),
    make('tbody', ...data.map((row) => make('tr', ...columns.map((field) => cell(field, row))))),
  );
  const page = make(
    'div',
    make('header', logo, brand.name),
    make('main', make('h1', labelOf(description)), status, table),
  );
  page.className = 'first-rows';
  place.replaceChildren(page);
}

function make<K extends keyof HTMLElementTagNameMap>(name: K, ...content: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  element.append(...content);
  return element;
}
