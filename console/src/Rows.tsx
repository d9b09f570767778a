import Typography from '@mui/material/Typography';
import type { ReactElement } from 'react';
import { DataTable, SimpleList } from 'react-admin';
import type { FieldDescription } from './descriptions.ts';
import { LinkedBody, RowLink } from './LinkedRow.tsx';
import { useNarrow } from './narrow.ts';
import { fieldLabel } from './presentation.ts';
import { Value } from './Value.tsx';

interface Props {
  columns: FieldDescription[];
  /** Whether a click on a heading sorts. */
  sorted: boolean;
  bulkActions: ReactElement | false;
}

/** The rows of the list that it stands in: a table, or on a phone two lines a row. */
export function Rows({ columns, sorted, bulkActions }: Props) {
  const narrow = useNarrow();
  if (narrow) return <Lines columns={columns} />;
  // A reference leads to the row that it names, so the link of this one is around another cell.
  const linked = columns.find(({ references }) => references === undefined) ?? columns[0];
  return (
    <DataTable body={LinkedBody} bulkActionButtons={bulkActions} empty={<None />}>
      {columns.map((field) => (
        <DataTable.Col
          key={field.name}
          source={field.name}
          label={fieldLabel(field)}
          disableSort={!sorted || !field.sortable}
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
    </DataTable>
  );
}

function Lines({ columns: [first, second, third] }: { columns: FieldDescription[] }) {
  // A line is a link as a whole, and has none inside.
  const shown = (field: FieldDescription | undefined) => field && <Value field={field} linked={false} />;
  return (
    <SimpleList
      rowClick="show"
      primaryText={() => shown(first)}
      secondaryText={() => shown(second)}
      tertiaryText={() => shown(third)}
      empty={<None />}
    />
  );
}

const None = () => <Typography sx={{ p: 2, color: 'text.secondary' }}>None.</Typography>;
