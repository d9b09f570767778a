import { Box, Typography } from '@mui/material';
import { type ComponentProps, lazy, memo, Suspense, useState } from 'react';
import { useListContext, usePermissions, useRecordContext, useStore } from 'react-admin';
import { BulkBar } from '../bulk/BulkBar.tsx';
import { root } from '../data/api.ts';
import { useDescription } from '../data/described.tsx';
import type { FieldDescription } from '../data/descriptions.ts';
import { deletedKey } from '../data/list-query-of.ts';
import { firstPageSize } from '../data/rows-ahead.ts';
import { LiveRows } from '../live/LiveRows.tsx';
import { LastSignIns } from '../people/PersonColumns.tsx';
import { isDeleted, RestoreButton } from '../rows/RestoreButton.tsx';
import { hiddenRowsText } from '../text/hidden-rows.ts';
import { columnsOf, emptyTextOf, firstStepsOf, isOwn, labelOf, orderOf } from '../text/presentation.ts';
import { locale, translate } from '../text/translate.ts';
import { within } from '../text/words.ts';
import type { TrailEvent } from '../trail/sentences.ts';
import { Code } from '../widgets/Code.tsx';
import { PageActions } from '../widgets/PageActions.tsx';
import { ResourceIcon } from '../widgets/ResourceIcon.tsx';
import { filtersOf, searchOf, trailFilters } from './Filters.tsx';
import { CreateButton } from './ListActions.tsx';
import { figuresKey, ListMenu } from './ListMenu.tsx';
import { ListPage } from './ListPage.tsx';
import { Pages } from './Pages.tsx';
import { Rows } from './Rows.tsx';

const Trail = lazy(() => import('../trail/Trail.tsx').then((module) => ({ default: module.Trail })));
const ListFigures = lazy(() => import('./ListFigures.tsx').then((module) => ({ default: module.ListFigures })));

/** The list of any resource, generated from its description. */
export const ResourceList = memo(() => {
  const description = useDescription();
  const { name, operations, fields } = description;
  const filters = name === 'events' ? trailFilters(description) : filtersOf(description);
  const [isCounted, setCounted] = useState(false);
  const [figures] = useStore<boolean>(figuresKey, false);
  const columns = columnsOf(description);
  const more = fields.filter((field) => !field.writeOnly && !columns.some(({ name: shown }) => shown === field.name));
  const rows =
    name === 'events' ? (
      <TrailRows />
    ) : (
      <StableRows columns={columns} more={more} selectable={operations.has('delete') || operations.has('update')} />
    );
  return (
    <ListPage
      title={<ListTitle />}
      search={name === 'events' ? undefined : searchOf(description)}
      filters={filters}
      sort={orderOf(description)}
      perPage={firstPageSize}
      pages={<Pages onCountAll={() => setCounted(true)} />}
      queryOptions={{ onError: () => undefined, ...(isCounted ? { meta: { count: 'exact' } } : {}) }}
      empty={<Empty />}
    >
      {figures && (
        <Suspense>
          <ListFigures />
        </Suspense>
      )}
      <BulkBar />
      <HiddenRows />
      <LiveRows>{name === 'users' ? <LastSignIns>{rows}</LastSignIns> : rows}</LiveRows>
    </ListPage>
  );
});

const deletedAt: FieldDescription = { name: 'deleted_at', type: 'timestamp', sortable: true };

/** Rows of the list. A deleted row can only be restored. */
function StableRows({
  columns,
  more,
  selectable,
}: Pick<ComponentProps<typeof Rows>, 'columns' | 'more' | 'selectable'>) {
  const { filterValues } = useListContext();
  if (filterValues?.[deletedKey] === undefined) return <Rows {...{ columns, more, selectable }} sorted />;
  return <Rows columns={[...columns, deletedAt]} sorted selectable={false} rowAction={<DeletedAction />} />;
}

function DeletedAction() {
  return isDeleted(useRecordContext()) ? <RestoreButton small /> : null;
}

/** The audit trail as sentences. */
function TrailRows() {
  const { data = [] } = useListContext<TrailEvent>();
  return (
    <Suspense>
      <Trail events={data} />
    </Suspense>
  );
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

/** The first steps. For AI applications, they include the address. */
function FirstSteps() {
  const description = useDescription();
  return (
    <Box sx={{ textAlign: 'left', maxWidth: '60ch' }}>
      {description.name === 'mcp-calls' && <Code title={translate('Address')} text={`${location.origin}${root}/mcp`} />}
      <ol>
        {firstStepsOf(description).map((step) => (
          <li key={step}>{translate(step)}</li>
        ))}
      </ol>
    </Box>
  );
}

function Empty() {
  const description = useDescription();
  const hidden = useHiddenRows();
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1, width: '100%', mt: 8, textAlign: 'center' }}>
      <ResourceIcon description={description} size={56} />
      <Typography variant="h6" component="h2">
        {hidden
          ? translate('No {things} for you to see.', { things: within(labelOf(description)) })
          : emptyTextOf(description)}
      </Typography>
      <HiddenRows />
      {description.description && !isOwn(description) && (
        <Typography sx={{ color: 'text.secondary' }}>{translate(description.description)}</Typography>
      )}
      {firstStepsOf(description).length > 0 && <FirstSteps />}
      <CreateButton />
      <PageActions>
        <ListMenu />
      </PageActions>
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
    <Typography role="note" sx={{ color: 'text.secondary', maxWidth: '70ch', p: 1 }}>
      {text}
    </Typography>
  );
}
