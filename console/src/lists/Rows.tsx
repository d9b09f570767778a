import { Box, Button } from '@mui/material';
import type { SxProps, Theme } from '@mui/material/styles';
import { Children, isValidElement, type MouseEvent, memo, type ReactElement, type ReactNode } from 'react';
import {
  DataTable,
  DataTableClasses,
  RecordContextProvider,
  useDataTableCallbacksContext,
  useDataTableConfigContext,
  useDataTableDataContext,
  useDataTableSelectedIdsContext,
  useDataTableStoreContext,
  useListContext,
  useNavigate,
  useRecordContext,
  useStore,
} from 'react-admin';
import { RouteLink } from '../app/router.tsx';
import { type FieldDescription, useDescription } from '../data/DescriptionsProvider.tsx';
import { Value } from '../rows/Value.tsx';
import { digitsOf, isNumber } from '../text/details.ts';
import { fieldLabel, rowName, showPath } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { useIsNarrow } from '../widgets/useIsNarrow.ts';
import { MarkText, useMark } from './marked-rows.tsx';
import { PhoneRows, RowCheckbox } from './PhoneRows.tsx';
import { ReferredRows } from './Reference.tsx';

interface Props {
  columns: FieldDescription[];
  /** Further columns, hidden at first. */
  more?: FieldDescription[];
  /** Whether a click on a heading sorts. */
  sorted: boolean;
  selectable: boolean;
  /** The buttons of each row. */
  rowAction?: ReactNode;
}

const linkClass = 'link-of-row';

/** The styles of the table body, which consists of plain elements. Long words are broken. */
const tableStyles: SxProps<Theme> = {
  '& tbody td': {
    ...{ typography: 'body2', py: 0.75, px: 2, borderBottom: '1px solid', borderColor: 'divider', textAlign: 'left' },
    '&.select': { width: 48, p: 0, pl: '7px' },
    '&.actions': { textAlign: 'right' },
  },
  '& th': { whiteSpace: 'nowrap' },
  '& th.actions': { textAlign: 'right' },
  '& table.MuiTable-root[data-density="medium"] tbody td:not(.select)': { p: 2 },
  '& tbody tr:hover': { backgroundColor: 'action.hover' },
  '& tbody .value': { display: 'inline-block', maxWidth: '40ch', overflowWrap: 'break-word' },
  // If the table scrolls sideways, its columns need not be narrow.
  '@media (max-width: 1199px)': { '& tbody .value': { width: 'max-content', maxWidth: '26ch' } },
  '& .numbers': {
    ...{ textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
    '& .MuiTableSortLabel-root': { flexDirection: 'row-reverse' },
  },
  '& tbody td.numbers': { textAlign: 'right' },
  '& tbody td.short, & tbody td.short .words': { whiteSpace: 'nowrap', flexWrap: 'nowrap' },
  [`& .${linkClass}`]: {
    ...{ fontWeight: 600, display: 'inline-block', minWidth: '16ch' },
    color: 'inherit',
    textDecoration: 'none',
    '&:hover': { textDecoration: 'underline' },
  },
};

export const densityKey = 'lists.density';

/** Short values stay on one line, so that rows stay low if a table scrolls sideways. */
const short = new Set(['date', 'timestamp', 'enum', 'status', 'last_sign_in']);
const classOf = (field: FieldDescription): string | undefined =>
  isNumber(field) ? 'numbers' : short.has(field.type) ? 'short' : undefined;

/** The rows of a list: a table, or on a phone a few lines for each row. */
export function Rows({ columns, more = [], sorted, selectable, rowAction }: Props) {
  const isNarrow = useIsNarrow();
  const [density] = useStore<'small' | 'medium'>(densityKey, 'small');
  const { data, isPending } = useListContext();
  if (isNarrow) {
    if (data?.length === 0 && !isPending) return <None />;
    return (
      <ReferredRows fields={columns}>
        <PhoneRows columns={columns} selectable={selectable} rowAction={rowAction} />
      </ReferredRows>
    );
  }
  // A reference already links to another row, so the link of this row is in another cell.
  const linked = columns.find(({ references }) => references === undefined) ?? columns[0];
  return (
    <ReferredRows fields={columns}>
      <DataTable
        body={LinkedBody}
        size={density}
        bulkActionButtons={selectable && <span />}
        bulkActionsToolbar={<span hidden />}
        hiddenColumns={more.map(({ name }) => name)}
        empty={<None />}
        sx={tableStyles}
        {...{ 'data-density': density }}
      >
        {[...columns, ...more].map((field) => (
          <DataTable.Col
            key={field.name}
            source={field.name}
            label={fieldLabel(field)}
            disableSort={!sorted || !field.sortable}
            className={classOf(field)}
          >
            {field === linked ? (
              <RowLink>
                <Value field={field} linked={false} brief />
              </RowLink>
            ) : (
              <Value field={field} brief digits={digitsOf(field, data)} />
            )}
          </DataTable.Col>
        ))}
        {rowAction && (
          <DataTable.Col label={translate('Actions')} disableSort className="actions">
            {rowAction}
          </DataTable.Col>
        )}
      </DataTable>
    </ReferredRows>
  );
}

function None() {
  const { filterValues = {}, setFilters } = useListContext();
  const isFiltered = Object.keys(filterValues).length > 0;
  return (
    <Box className="quiet" sx={{ p: 2 }}>
      {isFiltered ? translate('Nothing matches these filters.') : translate('None yet.')}
      {isFiltered && (
        <Button size="small" sx={{ ml: 1 }} onClick={() => setFilters({}, {})}>
          {translate('Clear filters')}
        </Button>
      )}
    </Box>
  );
}

interface ColumnProps {
  source?: string;
  label?: string;
  className?: string;
  children?: ReactNode;
}
type Column = ReactElement<ColumnProps>;

/** The body of a table whose rows are links. It reads the hidden columns once for all cells. */
function LinkedBody({ children }: { children?: ReactNode }) {
  const rows = useDataTableDataContext();
  const { storeKey, defaultHiddenColumns } = useDataTableStoreContext();
  const [hidden] = useStore<string[]>(storeKey, defaultHiddenColumns);
  const columns = Children.toArray(children)
    .filter((child): child is Column => isValidElement(child))
    .filter(({ props }) => !hidden.includes(props.source ?? props.label ?? ''));
  return (
    <tbody>
      {rows?.map((row) => (
        <RecordContextProvider key={row.id} value={row}>
          <LinkedRow columns={columns} />
        </RecordContextProvider>
      ))}
    </tbody>
  );
}

/** The path of the page of this row. Undefined if it has no page. */
function useRowPath(): string | undefined {
  const { name, operations } = useDescription();
  const row = useRecordContext();
  return row && operations.has('find') ? showPath(name, row.id) : undefined;
}

/** The link of a row, in the cell with its name. It can be opened with Enter or in a new tab. */
function RowLink({ children }: { children: ReactNode }) {
  const path = useRowPath();
  if (path === undefined) return children;
  return (
    <>
      <RouteLink to={path} className={linkClass} state={{ _scrollToTop: true }}>
        {children}
      </RouteLink>
      <MarkText />
    </>
  );
}

/** A click anywhere in the row follows the link. With a modifier key, it opens a new tab. */
const LinkedRow = memo(({ columns }: { columns: Column[] }) => {
  const path = useRowPath();
  const navigate = useNavigate();
  const { hasBulkActions } = useDataTableConfigContext();
  const mark = useMark();

  function follow(event: MouseEvent<HTMLElement>) {
    const isOwn = (event.target as HTMLElement).closest('a, button, input, label') !== null;
    // Text that is selected is probably going to be copied, so the click does not follow the link.
    const marks = window.getSelection()?.toString() !== '';
    if (path === undefined || isOwn || marks) return;
    const elsewhere = event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey;
    const address = event.currentTarget.querySelector<HTMLAnchorElement>(`.${linkClass}`)?.href;
    if (elsewhere) window.open(address, '_blank', 'noopener');
    else if (event.button === 0) navigate(path, { state: { _scrollToTop: true } });
  }

  return (
    <tr
      // A new key restarts the animation at each change.
      key={mark?.key}
      className={[path && DataTableClasses.clickableRow, mark && 'changed'].filter(Boolean).join(' ') || undefined}
      onClick={follow}
      onAuxClick={follow}
    >
      {hasBulkActions && <SelectCell />}
      {columns.map(({ key, props }) => (
        <td key={key} className={props.className}>
          {props.children}
        </td>
      ))}
    </tr>
  );
});

/** The check box of a row, labelled with the name of the row. */
function SelectCell() {
  const { handleToggleItem } = useDataTableCallbacksContext();
  const selected = useDataTableSelectedIdsContext();
  const description = useDescription();
  const row = useRecordContext();
  if (!row || !handleToggleItem) return null;
  return (
    <td className="select">
      <RowCheckbox
        checked={selected?.includes(row.id) ?? false}
        onClick={(event) => {
          handleToggleItem(row.id, event);
          event.stopPropagation();
        }}
        aria-label={translate('Select {row}', { row: rowName(description, row) })}
      />
    </td>
  );
}
