import { lazy, type ReactElement, Suspense } from 'react';
import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';
import { anywhereKey, deletedKey, filterKey } from '../data/to-list-query.ts';
import { fieldLabel, searchedFields } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { lowerCaseFirst } from '../text/words.ts';
import type { FilterProps } from './FilterControl.tsx';

const FilterControl = lazy(() => import('./FilterControl.tsx'));

/** Loaded when it is opened, because a list starts with only its search box. */
function Filter({ alwaysOn: _, ...props }: FilterProps) {
  return (
    <Suspense>
      <FilterControl {...props} />
    </Suspense>
  );
}

const person: FieldDescription = { name: 'user_id', type: 'uuid', references: 'users' };
const kind: FieldDescription = { name: 'type', type: 'event_kind' };
/** Deleted rows are shown only with this filter. */
const deleted: FieldDescription = { name: 'deleted', type: 'deleted' };
const time: FieldDescription = { name: 'created_at', type: 'timestamp' };

/** The filters of the audit trail: person, kind and time, and every other searchable field. */
export function trailFilters(events: ResourceDescription): ReactElement<FilterProps>[] {
  const fixedFields = new Set(['id', 'type', 'user_id', 'actor_id', 'created_at']);
  const otherFields = events.fields.filter(({ name, searchable }) => searchable && !fixedFields.has(name));
  return [
    <Filter key="person" source="user_id|actor_id" label={translate('Person')} field={person} alwaysOn />,
    <Filter key="type" source="type" label={translate('Kind')} field={kind} alwaysOn />,
    <Filter key="time" source={filterKey('created_at', 'days')} label={translate('Time')} field={time} alwaysOn />,
    ...otherFields.flatMap(filtersFor),
  ];
}

/** The filters of a list: one for every searchable field. */
export function filtersOf(description: ResourceDescription): ReactElement<FilterProps>[] {
  const searchable = description.fields.filter((field) => field.searchable && field.name !== 'id');
  return [
    ...searchable.filter(({ name }) => name !== 'deleted_at').flatMap(filtersFor),
    ...(description.softDelete
      ? [<Filter key="deleted" source={deletedKey} label={translate('Deleted')} field={deleted} />]
      : []),
  ];
}

/** The search box of a list searches every searchable text. */
export function searchOf(description: ResourceDescription): { source: string; placeholder: string } | undefined {
  const fields = searchedFields(description);
  if (fields.length === 0) return undefined;
  const placeholder = translate('Search {fields}', {
    fields: fields.map((field) => lowerCaseFirst(fieldLabel(field))).join(', '),
  });
  return { source: anywhereKey(fields), placeholder };
}

function filtersFor(field: FieldDescription): ReactElement<FilterProps>[] {
  const source = sourceOf(field);
  return source === undefined ? [] : [<Filter key={field.name} source={source} label={labelOf(field)} field={field} />];
}

const labelOf = (field: FieldDescription): string =>
  field.type === 'text' && field.references === undefined
    ? translate('{field} contains', { field: fieldLabel(field) })
    : fieldLabel(field);

/** The name of a filter: the field and the operator. */
function sourceOf({ name, type, references }: FieldDescription): string | undefined {
  if (references !== undefined) return name;
  if (type === 'json') return undefined;
  if (type === 'text') return filterKey(name, 'contains');
  if (type === 'timestamp') return filterKey(name, 'days');
  return ['integer', 'number', 'decimal', 'date'].includes(type) ? filterKey(name, 'range') : name;
}
