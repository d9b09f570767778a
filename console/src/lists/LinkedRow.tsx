import { Checkbox } from '@mui/material';
import { Children, isValidElement, type MouseEvent, memo, type ReactElement, type ReactNode } from 'react';
import {
  DataTableClasses,
  RecordContextProvider,
  useCreatePath,
  useDataTableCallbacksContext,
  useDataTableConfigContext,
  useDataTableDataContext,
  useDataTableSelectedIdsContext,
  useDataTableStoreContext,
  useNavigate,
  useRecordContext,
  useResourceContext,
  useStore,
} from 'react-admin';

import { RouteLink } from '../app/router.tsx';
import { useDescription } from '../data/described.tsx';
import { ChangedBy, useMark } from '../live/LiveRows.tsx';
import { rowName } from '../text/presentation.ts';
import { say } from '../text/say.ts';

interface ColumnProps {
  source?: string;
  label?: string;
  className?: string;
  children?: ReactNode;
}
type Column = ReactElement<ColumnProps>;

/** The body of a table whose rows are links. What is hidden is found out once, and not by each cell. */
export function LinkedBody({ children }: { children?: ReactNode }) {
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

export const linkClass = 'link-of-row';

/** Where the row that one stands in is shown; undefined where it cannot be. */
function useRowPath(): string | undefined {
  const { operations } = useDescription();
  const resource = useResourceContext() ?? '';
  const row = useRecordContext();
  const createPath = useCreatePath();
  return row && operations.has('find') ? createPath({ resource, type: 'show', id: row.id }) : undefined;
}

/** The link of a row, around the cell that it is known by: followed by Enter, opened in a tab as any link is. */
export function RowLink({ children }: { children: ReactNode }) {
  const path = useRowPath();
  if (path === undefined) return children;
  return (
    <>
      <RouteLink to={path} className={linkClass} state={{ _scrollToTop: true }}>
        {children}
      </RouteLink>
      <ChangedBy />
    </>
  );
}

/** A click beside the link follows it as well, in a new tab where the click asks for one. */
const LinkedRow = memo(({ columns }: { columns: Column[] }) => {
  const path = useRowPath();
  const navigate = useNavigate();
  const { hasBulkActions } = useDataTableConfigContext();
  const mark = useMark();

  function follow(event: MouseEvent<HTMLElement>) {
    const isOwn = (event.target as HTMLElement).closest('a, button, input, label') !== null;
    // Who marks text wants to copy it.
    const marks = window.getSelection()?.toString() !== '';
    if (path === undefined || isOwn || marks) return;
    const elsewhere = event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey;
    const address = event.currentTarget.querySelector<HTMLAnchorElement>(`.${linkClass}`)?.href;
    if (elsewhere) window.open(address, '_blank', 'noopener');
    else if (event.button === 0) navigate(path, { state: { _scrollToTop: true } });
  }

  return (
    <tr
      // The mark appears anew with each change.
      key={mark?.position}
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

/** The check box of a row, which says whose it is. */
function SelectCell() {
  const { handleToggleItem, isRowSelectable } = useDataTableCallbacksContext();
  const selected = useDataTableSelectedIdsContext();
  const description = useDescription();
  const row = useRecordContext();
  if (!row || !handleToggleItem) return null;
  return (
    <td className="select">
      <Checkbox
        className={`select-item ${DataTableClasses.checkbox}`}
        checked={selected?.includes(row.id) ?? false}
        disabled={isRowSelectable ? !isRowSelectable(row) : false}
        onClick={(event) => {
          handleToggleItem(row.id, event);
          event.stopPropagation();
        }}
        slotProps={{ input: { 'aria-label': say('Select {row}', { row: rowName(description, row) }) } }}
      />
    </td>
  );
}
