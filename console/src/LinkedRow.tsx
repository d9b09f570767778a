import Checkbox from '@mui/material/Checkbox';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import type { MouseEvent, ReactNode } from 'react';
import {
  DataTableBody,
  DataTableClasses,
  Link,
  useCreatePath,
  useDataTableCallbacksContext,
  useDataTableConfigContext,
  useDataTableSelectedIdsContext,
  useNavigate,
  useRecordContext,
  useResourceContext,
} from 'react-admin';
import { useDescription } from './described.tsx';
import { rowName } from './presentation.ts';
import { say } from './say.ts';

/** The body of a table whose rows are links. */
export function LinkedBody(props: { children?: ReactNode }) {
  return <DataTableBody {...props} row={LinkedRow} />;
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
    <Link
      to={path}
      className={linkClass}
      color="inherit"
      underline="hover"
      sx={{ fontWeight: 600, '&& *': { fontWeight: 'inherit' } }}
    >
      {children}
    </Link>
  );
}

/** A click beside the link follows it as well, in a new tab where the click asks for one. */
function LinkedRow({ children, className }: { children?: ReactNode; className?: string }) {
  const path = useRowPath();
  const navigate = useNavigate();
  const { hasBulkActions } = useDataTableConfigContext();

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
    <TableRow
      hover
      className={`${className ?? ''} ${path === undefined ? '' : DataTableClasses.clickableRow}`}
      onClick={follow}
      onAuxClick={follow}
    >
      {hasBulkActions && <SelectCell />}
      {children}
    </TableRow>
  );
}

/** The check box of a row, which says whose it is. */
function SelectCell() {
  const { handleToggleItem, isRowSelectable } = useDataTableCallbacksContext();
  const selected = useDataTableSelectedIdsContext();
  const description = useDescription();
  const row = useRecordContext();
  if (!row || !handleToggleItem) return null;
  return (
    <TableCell padding="checkbox">
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
    </TableCell>
  );
}
