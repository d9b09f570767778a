import type { ReactElement } from 'react';
import { AutocompleteInput, SearchInput, SelectInput, TextInput } from 'react-admin';
import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';
import { anywhereKey, deletedKey, filterKey } from '../data/list-query-of.ts';
import { RowInput } from '../forms/Input.tsx';
import { fieldLabel, searchedFields } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { within } from '../text/words.ts';
import { kindsOfEvents } from '../trail/sentences.ts';
import { RangeFilter } from './RangeFilter.tsx';

const yesOrNo = () => [
  { id: 'true', name: say('Yes') },
  { id: 'false', name: say('No') },
];

/** The audit trail is filtered by person, kind and time; and by every other field that can be searched. */
export function trailFilters(events: ResourceDescription, all: Iterable<ResourceDescription>): ReactElement[] {
  const shown = new Set(['id', 'type', 'user_id', 'actor_id', 'created_at']);
  const others = events.fields.filter(({ name, searchable }) => searchable && !shown.has(name));
  return [
    <RowInput key="person" source="user_id|actor_id" label={say('Person')} reference="users" alwaysOn />,
    <AutocompleteInput key="type" source="type" label={say('Kind')} choices={kindsOfEvents(all)} alwaysOn />,
    <RangeFilter key="time" source={filterKey('created_at', 'days')} label={say('Time')} kind="day" alwaysOn />,
    ...others.flatMap(filtersFor),
  ];
}

/** The filters of a list: one for every field that can be searched. */
export function filtersOf(description: ResourceDescription): ReactElement[] {
  const searchable = description.fields.filter((field) => field.searchable && field.name !== 'id');
  return [
    ...searchBox(searchedFields(description)),
    ...searchable.filter(({ name }) => name !== 'deleted_at').flatMap(filtersFor),
    ...(description.softDelete ? [deletedFilter()] : []),
  ];
}

/** Deleted rows are shown to those who ask for them. */
function deletedFilter(): ReactElement {
  const choices = [
    { id: 'only', name: say('Only deleted rows') },
    { id: 'with', name: say('Deleted rows too') },
  ];
  return <SelectInput key="deleted" source={deletedKey} label={say('Deleted')} choices={choices} />;
}

/** The search box, which is always open: looks at every text that can be searched. */
function searchBox(fields: FieldDescription[]): ReactElement[] {
  if (fields.length === 0) return [];
  const placeholder = say('Search {fields}', {
    fields: fields.map((field) => within(fieldLabel(field))).join(', '),
  });
  const slotProps = { htmlInput: { 'aria-label': placeholder } };
  const source = anywhereKey(fields);
  return [
    <SearchInput key="search" alwaysOn {...{ source, placeholder, slotProps }} sx={{ width: 360, maxWidth: '100%' }} />,
  ];
}

function filtersFor(field: FieldDescription): ReactElement[] {
  const { name, type, values, references } = field;
  const label = fieldLabel(field);
  if (references !== undefined) return [<RowInput key={name} source={name} label={label} reference={references} />];
  switch (type) {
    case 'text':
      return [
        <TextInput key={name} source={filterKey(name, 'contains')} label={say('{field} contains', { field: label })} />,
      ];
    case 'boolean':
      return [<SelectInput key={name} source={name} label={label} choices={yesOrNo()} />];
    case 'enum':
      return [
        <SelectInput
          key={name}
          source={name}
          label={label}
          choices={(values ?? []).map((value) => ({ id: value, name: say(value) }))}
        />,
      ];
    case 'integer':
    case 'number':
    case 'decimal':
      return [<RangeFilter key={name} source={filterKey(name, 'range')} label={label} kind="number" />];
    case 'date':
      return [<RangeFilter key={name} source={filterKey(name, 'range')} label={label} kind="day" />];
    case 'timestamp':
      return [<RangeFilter key={name} source={filterKey(name, 'days')} label={label} kind="day" />];
    case 'json':
      return [];
    default:
      return [<TextInput key={name} source={name} label={label} />];
  }
}
