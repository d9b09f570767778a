import { Button, Typography } from '@mui/material';
import type { SxProps, Theme } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { DataTable, useListContext, useStore } from 'react-admin';
import type { FieldDescription } from '../data/descriptions.ts';
import { Value } from '../rows/Value.tsx';
import { digitsOf, isNumber } from '../text/details.ts';
import { fieldLabel } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { useIsNarrow } from '../widgets/useIsNarrow.ts';
import { LinkedBody, linkClass, RowLink } from './LinkedRow.tsx';
import { PhoneRows } from './PhoneRows.tsx';
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
    <Typography component="div" sx={{ p: 2, color: 'text.secondary' }}>
      {isFiltered ? translate('Nothing matches these filters.') : translate('None yet.')}
      {isFiltered && (
        <Button size="small" sx={{ ml: 1 }} onClick={() => setFilters({}, {})}>
          {translate('Clear filters')}
        </Button>
      )}
    </Typography>
  );
}
