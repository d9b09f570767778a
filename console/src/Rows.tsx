import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { DataTable, useListContext, useStore } from 'react-admin';
import type { FieldDescription } from './descriptions.ts';
import { LinkedBody, linkClass, RowLink } from './LinkedRow.tsx';
import { Lines } from './list/Lines.tsx';
import { useNarrow } from './narrow.ts';
import { fieldLabel } from './presentation.ts';
import { say } from './say.ts';
import { Value } from './Value.tsx';

/** An address stays on one line; what is longer than any address is broken. Other links keep their underline, which a box would end. */
const wholeWords = {
  [`& tbody .MuiTypography-root:not(a:not(.${linkClass}) *)`]: {
    display: 'inline-block',
    maxWidth: '40ch',
    overflowWrap: 'break-word',
  },
} as const;

interface Props {
  columns: FieldDescription[];
  /** Those that somebody may want to see besides. */
  more?: FieldDescription[];
  /** Whether a click on a heading sorts. */
  sorted: boolean;
  selectable: boolean;
  /** What can be done with each row. */
  rowAction?: ReactNode;
}

const numbers = {
  textAlign: 'right',
  fontVariantNumeric: 'tabular-nums',
  '& .MuiTableSortLabel-root': { flexDirection: 'row-reverse' },
};

export const densityKey = 'lists.density';

const isNumber = ({ type, references }: FieldDescription): boolean =>
  (type === 'integer' || type === 'number') && references === undefined;

/** The rows of the list that it stands in: a table, or on a phone two lines a row. */
export function Rows({ columns, more = [], sorted, selectable, rowAction }: Props) {
  const narrow = useNarrow();
  const [density] = useStore<'small' | 'medium'>(densityKey, 'small');
  const { data, isPending } = useListContext();
  if (narrow) {
    if (data?.length === 0 && !isPending) return <None />;
    return <Lines columns={columns} selectable={selectable} rowAction={rowAction} />;
  }
  // A reference leads to the row that it names, so the link of this one is around another cell.
  const linked = columns.find(({ references }) => references === undefined) ?? columns[0];
  return (
    <DataTable
      body={LinkedBody}
      size={density}
      bulkActionButtons={selectable && <span />}
      bulkActionsToolbar={<span hidden />}
      hiddenColumns={more.map(({ name }) => name)}
      empty={<None />}
      sx={wholeWords}
    >
      {[...columns, ...more].map((field) => (
        <DataTable.Col
          key={field.name}
          source={field.name}
          label={fieldLabel(field)}
          disableSort={!sorted || !field.sortable}
          {...(isNumber(field) ? { sx: numbers } : {})}
        >
          {field === linked ? (
            <RowLink>
              <Value field={field} linked={false} />
            </RowLink>
          ) : (
            <Value field={field} />
          )}
        </DataTable.Col>
      ))}
      {rowAction && (
        <DataTable.Col label="" disableSort sx={{ textAlign: 'right' }}>
          {rowAction}
        </DataTable.Col>
      )}
    </DataTable>
  );
}

function None() {
  const { filterValues = {}, setFilters } = useListContext();
  const isFiltered = Object.keys(filterValues).length > 0;
  return (
    <Typography component="div" sx={{ p: 2, color: 'text.secondary' }}>
      {isFiltered ? say('Nothing matches these filters.') : say('None yet.')}
      {isFiltered && (
        <Button size="small" sx={{ ml: 1 }} onClick={() => setFilters({}, {})}>
          {say('Clear filters')}
        </Button>
      )}
    </Typography>
  );
}
