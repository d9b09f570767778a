import { List, ListItem, ListItemButton, ListItemText } from '@mui/material';
import type { ReactNode } from 'react';
import {
  Link,
  type RaRecord,
  RecordContextProvider,
  useCreatePath,
  useListContext,
  useResourceContext,
} from 'react-admin';
import { useDescription } from '../data/described.tsx';
import type { FieldDescription } from '../data/descriptions.ts';
import { ChangedBy } from '../live/LiveRows.tsx';
import { Value } from '../rows/Value.tsx';
import { detailsOf, digitsOf, labelInLine } from '../text/details.ts';
import { rowName } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { RowCheckbox } from '../widgets/RowCheckbox.tsx';

interface Props {
  columns: FieldDescription[];
  selectable: boolean;
  rowAction?: ReactNode;
}

/** Rows on a phone: the name, and below it the fields that distinguish the rows. */
export function Lines({ columns, selectable, rowAction }: Props) {
  const [first, ...others] = columns;
  const description = useDescription();
  const resource = useResourceContext() ?? '';
  const createPath = useCreatePath();
  const { data = [], selectedIds = [], onToggleItem } = useListContext();
  const shown = detailsOf(others, description, data);
  return (
    <List disablePadding>
      {data.map((row) => (
        <RecordContextProvider key={row.id} value={row}>
          <ListItem disablePadding divider>
            {selectable && (
              <RowCheckbox
                checked={selectedIds.includes(row.id)}
                onChange={() => onToggleItem(row.id)}
                aria-label={say('Select {row}', { row: rowName(description, row) })}
              />
            )}
            <ListItemButton
              component={Link}
              to={createPath({ resource, type: 'show', id: row.id })}
              underline="none"
              color="inherit"
              disabled={!description.operations.has('find')}
            >
              <ListItemText
                primary={first && <LineName field={first} />}
                secondary={<Details fields={detailsOf(shown, description, [row])} rows={data} />}
                slotProps={{
                  primary: { sx: { fontWeight: 600 } },
                  secondary: {
                    component: 'div',
                    sx: { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '2px 12px' },
                  },
                }}
              />
            </ListItemButton>
            {rowAction}
          </ListItem>
        </RecordContextProvider>
      ))}
    </List>
  );
}

function LineName({ field }: { field: FieldDescription }) {
  return (
    <>
      <Value field={field} linked={false} />
      <ChangedBy />
    </>
  );
}

/** "Seats 4  Owner Ada": a label is shown if the value alone is unclear. */
function Details({ fields, rows }: { fields: FieldDescription[]; rows: RaRecord[] }) {
  return fields.map((field) => (
    <span key={field.name}>
      {labelInLine(field)} <Value field={field} linked={false} brief digits={digitsOf(field, rows)} />
    </span>
  ));
}
