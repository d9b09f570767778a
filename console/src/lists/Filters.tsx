import ClearIcon from '@mui/icons-material/Clear';
import SearchIcon from '@mui/icons-material/Search';
import { IconButton } from '@mui/material';
import { lazy, type ReactElement, Suspense, useEffect, useRef, useState } from 'react';
import { useListContext } from 'react-admin';
import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';
import { anywhereKey, deletedKey, filterKey } from '../data/to-list-query.ts';
import { fieldLabel, searchedFields } from '../text/presentation.ts';
import { lowerCaseFirst, translate } from '../text/translate.ts';
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

/** The filters that the audit trail always shows. They replace those of the fields `replacedInTrail`. */
const trailFields: FieldDescription[] = [
  { name: 'user_id|actor_id', type: 'uuid', label: 'Person', references: 'users' },
  { name: 'type', type: 'event_kind', label: 'Kind' },
  { name: 'created_at', type: 'timestamp', label: 'Time' },
];
const replacedInTrail = ['type', 'user_id', 'actor_id', 'created_at'];
/** Deleted rows are shown only with this filter. */
const deletedRows: FieldDescription = { name: deletedKey, type: 'deleted', label: 'Deleted' };

/** The filters of a list: one for every searchable field. */
export function filtersOf({ name, fields, softDelete }: ResourceDescription): ReactElement<FilterProps>[] {
  const isTrail = name === 'events';
  const omitted = new Set(['id', 'deleted_at', ...(isTrail ? replacedInTrail : [])]);
  const shown = [
    ...(isTrail ? trailFields : []),
    ...fields.filter((field) => field.searchable && field.type !== 'json' && !omitted.has(field.name)),
    ...(softDelete ? [deletedRows] : []),
  ];
  return shown.map((field) => {
    const alwaysOn = trailFields.includes(field);
    return <Filter key={field.name} source={sourceOf(field)} label={labelOf(field)} {...{ field, alwaysOn }} />;
  });
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

const labelOf = (field: FieldDescription): string =>
  field.type === 'text' && field.references === undefined
    ? translate('{field} contains', { field: fieldLabel(field) })
    : fieldLabel(field);

/** The name of a filter: the field and the operator. */
function sourceOf({ name, type, references }: FieldDescription): string {
  if (references !== undefined) return name;
  if (type === 'text') return filterKey(name, 'contains');
  if (type === 'timestamp') return filterKey(name, 'days');
  return ['integer', 'number', 'decimal', 'date'].includes(type) ? filterKey(name, 'range') : name;
}

const debounceMs = 500;

/** Searches all fields of `source` for a text when the person stops typing. It looks like MUI's input, which is 5 kB. */
export function SearchBox({ source, placeholder }: { source: string; placeholder: string }) {
  const { filterValues = {}, displayedFilters, setFilters } = useListContext();
  const searched = String(filterValues[source] ?? '');
  const lastSearch = useRef(searched);
  const [typed, setTyped] = useState(searched);

  // A link or a reset can change the filters as well.
  useEffect(() => {
    if (searched !== lastSearch.current) setTyped(searched);
    lastSearch.current = searched;
  }, [searched]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed begins a search.
  useEffect(() => {
    if (typed === searched) return;
    const timer = setTimeout(() => {
      const { [source]: _, ...otherFilters } = filterValues;
      lastSearch.current = typed;
      setFilters(typed === '' ? otherFilters : { ...otherFilters, [source]: typed }, displayedFilters);
    }, debounceMs);
    return () => clearTimeout(timer);
  }, [typed]);

  return (
    <div className="search-box">
      <SearchIcon fontSize="small" color="action" />
      <input
        value={typed}
        placeholder={placeholder}
        aria-label={placeholder}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {typed !== '' && (
        <IconButton
          size="small"
          aria-label={translate('Clear')}
          title={translate('Clear')}
          onClick={() => setTyped('')}
        >
          <ClearIcon fontSize="small" />
        </IconButton>
      )}
    </div>
  );
}
