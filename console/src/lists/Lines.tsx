import { Checkbox, List, ListItem, ListItemButton, ListItemText } from '@mui/material';
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
import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';
import { ChangedBy } from '../live/LiveRows.tsx';
import { Value } from '../rows/Value.tsx';
import { fieldLabel, rowName } from '../text/presentation.ts';
import { say } from '../text/say.ts';

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
  const shown = others.filter((field) => distinguishes(field, description, data)).slice(0, 3);
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
                primary={first && <LineName field={first} />}
                secondary={
                  <Details fields={shown.filter((field) => distinguishes(field, description, [row]))} rows={data} />
                }
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
      {needsLabel.has(field.type) && `${fieldLabel(field)} `}
      <Value field={field} linked={false} brief digits={digitsOf(field, rows)} />
    </span>
  ));
}

/** The maximum number of decimal places in a column. */
export function digitsOf({ name, type }: FieldDescription, rows: readonly RaRecord[] = []): number {
  if (type !== 'number') return 0;
  return Math.max(0, ...rows.map((row) => String(row[name] ?? '').split('.')[1]?.length ?? 0));
}

const needsLabel = new Set(['integer', 'number', 'decimal', 'boolean', 'date', 'timestamp']);

const isFilled = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

/**
 * Whether the field has a value that is not part of the name. Numbers never count as part of the name: "4" for four seats may be a digit of
 * the plate.
 */
function distinguishes({ name, type }: FieldDescription, description: ResourceDescription, rows: RaRecord[]): boolean {
  if (type === 'status') return true;
  const isInName = (row: RaRecord) =>
    typeof row[name] === 'string' && rowName(description, row).includes(row[name] as string);
  return rows.some((row) => isFilled(row[name]) && !isInName(row));
}
