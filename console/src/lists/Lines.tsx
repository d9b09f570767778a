import { Checkbox, List, ListItem, ListItemButton, ListItemText } from '@mui/material';
import type { ReactNode } from 'react';
import { Link, RecordContextProvider, useCreatePath, useListContext, useResourceContext } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import type { FieldDescription } from '../data/descriptions.ts';
import { Value } from '../rows/Value.tsx';
import { rowName } from '../text/presentation.ts';
import { say } from '../text/say.ts';

interface Props {
  columns: FieldDescription[];
  selectable: boolean;
  rowAction?: ReactNode;
}

/** Rows on a phone: two lines each, a link as a whole, with a check box where rows can be selected. */
export function Lines({ columns, selectable, rowAction }: Props) {
  const [first, second, third] = columns;
  const description = useDescription();
  const resource = useResourceContext() ?? '';
  const createPath = useCreatePath();
  const { data = [], selectedIds = [], onToggleItem } = useListContext();
  return (
    <List disablePadding>
      {data.map((row) => (
        <RecordContextProvider key={row.id} value={row}>
          <ListItem disablePadding divider>
            {selectable && (
              <Checkbox
                checked={selectedIds.includes(row.id)}
                onChange={() => onToggleItem(row.id)}
                slotProps={{ input: { 'aria-label': say('Select {row}', { row: rowName(description, row) }) } }}
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
                primary={first && <Value field={first} linked={false} />}
                secondary={second && <Value field={second} linked={false} brief />}
                slotProps={{ secondary: { component: 'div' } }}
              />
              {third && isSaid(row[third.name]) && <Value field={third} linked={false} brief />}
            </ListItemButton>
            {rowAction}
          </ListItem>
        </RecordContextProvider>
      ))}
    </List>
  );
}

/** A dash at the edge of a line would say of nothing that it is not there. */
const isSaid = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
