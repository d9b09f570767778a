import { Box, Card } from '@mui/material';
import { memo, Suspense, useCallback, useEffect, useState } from 'react';
import {
  FilterContext,
  ListBase,
  Title,
  useListContext,
  usePermissions,
  useRecordContext,
  useStore,
} from 'react-admin';
import { BulkBar, InviteButton, ListFigures, LiveRows, TrailRows } from '../../../extensions/all-console-parts.ts';
import { removeFirstRows } from '../app/first-rows.ts';
import { ColumnsOpened, LazyFilterForm } from '../app/lazy-components.tsx';
import { root } from '../data/api.ts';
import { type FieldDescription, useDescription } from '../data/DescriptionsProvider.tsx';
import { firstPageSize } from '../data/prefetched-rows.ts';
import { deletedKey } from '../data/to-list-query.ts';
import { LastSignIns } from '../rows/PersonColumns.tsx';
import { isDeleted, RestoreButton } from '../rows/RestoreButton.tsx';
import { hiddenRowsText } from '../text/hidden-rows.ts';
import { columnsOf, defaultOrderOf, emptyTextOf, firstStepsOf, isBuiltin, labelOf } from '../text/presentation.ts';
import { locale, lowerCaseFirst, translate } from '../text/translate.ts';
import { Code } from '../widgets/Code.tsx';
import { LoadedList } from '../widgets/LoadError.tsx';
import { PageActions } from '../widgets/PageActions.tsx';
import { ResourceIcon } from '../widgets/ResourceIcon.tsx';
import { filtersOf, SearchBox, searchOf } from './Filters.tsx';
import { CreateButton, figuresKey, ListActions, ListMenu } from './ListActions.tsx';
import { Pagination } from './Pagination.tsx';
import { Rows } from './Rows.tsx';

/** The list of any resource, generated from its description. */
export const ResourceList = memo(() => {
  const description = useDescription();
  const filters = filtersOf(description);
  const [isCounted, setCounted] = useState(false);
  return (
    <ListBase
      disableAuthentication
      exporter={false}
      sort={defaultOrderOf(description)}
      perPage={firstPageSize}
      queryOptions={{ onError: () => undefined, ...(isCounted ? { meta: { count: 'exact' } } : {}) }}
    >
      <FilterContext.Provider value={filters}>
        <ListView filters={filters} onCountAll={() => setCounted(true)} />
      </FilterContext.Provider>
    </ListBase>
  );
});

function ListView({ filters, onCountAll }: { filters: ReturnType<typeof filtersOf>; onCountAll: () => void }) {
  const description = useDescription();
  const { name, operations } = description;
  const { error, isPending, total, data, filterValues, displayedFilters, page, selectedIds } = useListContext();
  useEffect(() => {
    if (!isPending) removeFirstRows();
  }, [isPending]);
  const hasNoRows = !error && !isPending && page === 1 && (total === 0 || data?.length === 0);
  // While rows are selected, the report of their deletion may be open.
  const isEmpty = hasNoRows && Object.keys(filterValues).length === 0 && selectedIds.length === 0;
  const isFiltered = filters.some(
    ({ props: { alwaysOn, source } }) => alwaysOn || displayedFilters?.[source] || filterValues[source] !== undefined,
  );
  const [areColumnsOpened, setColumnsOpened] = useState(false);
  const openColumns = useCallback(() => setColumnsOpened(true), []);
  const actions = <ListActions onColumns={openColumns} />;
  const search = name === 'events' ? undefined : searchOf(description);
  return (
    <div className="list-page">
      <Title title={<ListTitle />} />
      {isEmpty ? (
        <Empty />
      ) : (
        <Box sx={{ minWidth: 0 }}>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 1 }}>
            {search && <SearchBox {...search} />}
            <Suspense>{isFiltered && <LazyFilterForm />}</Suspense>
            {search && <Box sx={{ ml: 'auto' }}>{actions}</Box>}
          </Box>
          <ColumnsOpened.Provider value={areColumnsOpened}>
            <Card sx={{ overflow: 'visible' }}>
              <LoadedList>
                <ListContent />
              </LoadedList>
            </Card>
          </ColumnsOpened.Provider>
          <Pagination onCountAll={onCountAll} />
        </Box>
      )}
      <PageActions>
        {!isEmpty && (
          <>
            {!search && actions}
            {name === 'users' && operations.has('create') && <InviteButton />}
            <CreateButton />
          </>
        )}
        <ListMenu />
      </PageActions>
    </div>
  );
}

const ListContent = memo(() => {
  const { name } = useDescription();
  const [figures] = useStore<boolean>(figuresKey, false);
  return (
    <>
      {figures && (
        <Suspense>
          <ListFigures />
        </Suspense>
      )}
      <BulkBar />
      <HiddenRows />
      <LiveRows>
        {name === 'events' ? (
          <Suspense>
            <TrailRows />
          </Suspense>
        ) : name === 'users' ? (
          <LastSignIns>
            <TableRows />
          </LastSignIns>
        ) : (
          <TableRows />
        )}
      </LiveRows>
    </>
  );
});

const deletedAt: FieldDescription = { name: 'deleted_at', type: 'timestamp', sortable: true };

/** Rows of the list. A deleted row can only be restored. */
function TableRows() {
  const description = useDescription();
  const { fields, operations } = description;
  const { filterValues } = useListContext();
  const columns = columnsOf(description);
  if (filterValues?.[deletedKey] !== undefined) {
    return <Rows columns={[...columns, deletedAt]} sorted selectable={false} rowAction={<DeletedAction />} />;
  }
  const more = fields.filter((field) => !field.writeOnly && !columns.some(({ name }) => name === field.name));
  return <Rows {...{ columns, more }} sorted selectable={operations.has('delete') || operations.has('update')} />;
}

function DeletedAction() {
  return isDeleted(useRecordContext()) ? <RestoreButton small /> : null;
}

/** "Cars 3,000" */
function ListTitle() {
  const { total, meta } = useListContext();
  const atLeast: number | undefined = meta?.atLeast;
  const count = total?.toLocaleString(locale) ?? (atLeast === undefined ? '' : `${atLeast.toLocaleString(locale)}+`);
  return (
    <>
      {labelOf(useDescription())} <small>{count}</small>
    </>
  );
}

/** Shown instead of an empty list, with the first steps. For AI applications, they include the address. */
function Empty() {
  const description = useDescription();
  const hidden = useHiddenRows();
  const steps = firstStepsOf(description);
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1, width: '100%', mt: 8, textAlign: 'center' }}>
      <ResourceIcon description={description} size={56} />
      <h2 className="heading">
        {hidden
          ? translate('No {things} for you to see.', { things: lowerCaseFirst(labelOf(description)) })
          : emptyTextOf(description)}
      </h2>
      <HiddenRows />
      {description.description && !isBuiltin(description) && (
        <p className="quiet">{translate(description.description)}</p>
      )}
      {steps.length > 0 && (
        <Box sx={{ textAlign: 'left', maxWidth: '60ch' }}>
          {description.name === 'mcp-calls' && (
            <Code title={translate('Address')} text={`${location.origin}${root}/mcp`} />
          )}
          <ol>
            {steps.map((step) => (
              <li key={step}>{translate(step)}</li>
            ))}
          </ol>
        </Box>
      )}
      <CreateButton />
    </Box>
  );
}

/** Describes the rows that an access rule hides from this list. */
function useHiddenRows(): string {
  const { permissions = [] } = usePermissions<string[]>();
  return hiddenRowsText(useDescription(), permissions);
}

function HiddenRows() {
  const text = useHiddenRows();
  if (!text) return null;
  return (
    <Box component="p" role="note" className="quiet" sx={{ maxWidth: '70ch', p: 1 }}>
      {text}
    </Box>
  );
}
