import { Children, isValidElement, type MouseEvent, memo, type ReactElement, type ReactNode } from 'react';
import {
  DataTableClasses,
  RecordContextProvider,
  useDataTableCallbacksContext,
  useDataTableConfigContext,
  useDataTableDataContext,
  useDataTableSelectedIdsContext,
  useDataTableStoreContext,
  useNavigate,
  useRecordContext,
  useStore,
} from 'react-admin';
import { RouteLink } from '../app/router.tsx';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { ChangedBy, useLastChange } from '../live/LiveRows.tsx';
import { rowName, showPath } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { RowCheckbox } from '../widgets/RowCheckbox.tsx';

interface ColumnProps {
  source?: string;
  label?: string;
  className?: string;
  children?: ReactNode;
}
type Column = ReactElement<ColumnProps>;

/** The body of a table whose rows are links. It reads the hidden columns once for all cells. */
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

/** The path of the page of this row. Undefined if it has no page. */
function useRowPath(): string | undefined {
  const { name, operations } = useDescription();
  const row = useRecordContext();
  return row && operations.has('find') ? showPath(name, row.id) : undefined;
}

/** The link of a row, in the cell with its name. It can be opened with Enter or in a new tab. */
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

/** A click anywhere in the row follows the link. With a modifier key, it opens a new tab. */
const LinkedRow = memo(({ columns }: { columns: Column[] }) => {
  const path = useRowPath();
  const navigate = useNavigate();
  const { hasBulkActions } = useDataTableConfigContext();
  const mark = useLastChange();

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

/** The check box of a row, labelled with the name of the row. */
function SelectCell() {
  const { handleToggleItem, isRowSelectable } = useDataTableCallbacksContext();
  const selected = useDataTableSelectedIdsContext();
  const description = useDescription();
  const row = useRecordContext();
  if (!row || !handleToggleItem) return null;
  return (
    <td className="select">
      <RowCheckbox
        checked={selected?.includes(row.id) ?? false}
        disabled={isRowSelectable ? !isRowSelectable(row) : false}
        onClick={(event) => {
          handleToggleItem(row.id, event);
          event.stopPropagation();
        }}
        aria-label={translate('Select {row}', { row: rowName(description, row) })}
      />
    </td>
  );
}
