import Box from '@mui/material/Box';
import type { Theme } from '@mui/material/styles';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import { CreateButton, DataTable, List, Pagination, SimpleList } from 'react-admin';
import { useDescription } from './described.tsx';
import type { ResourceDescription } from './descriptions.ts';
import { filtersOf } from './Filters.tsx';
import {
  columnsOf,
  emptyTextOf,
  fieldLabel,
  iconOf,
  labelOf,
  orderOf,
  removeWarningOf,
  removeWordOf,
  rowName,
} from './presentation.ts';
import { RemoveSelectedButton } from './RemoveButtons.tsx';
import { Value } from './Value.tsx';

/** A list of any resource, made from its description. */
export function ResourceList() {
  const description = useDescription();
  const narrow = useMediaQuery<Theme>((theme) => theme.breakpoints.down('md'));
  return (
    <List
      title={labelOf(description.name)}
      filters={filtersOf(description)}
      sort={orderOf(description)}
      perPage={25}
      pagination={<Pagination rowsPerPageOptions={[10, 25, 50, 100]} />}
      exporter={false}
      empty={<Nothing description={description} />}
    >
      {narrow ? <Rows description={description} /> : <Table description={description} />}
    </List>
  );
}

function Table({ description }: { description: ResourceDescription }) {
  const mayRemove = description.operations.has('delete');
  return (
    <DataTable
      rowClick="show"
      bulkActionButtons={
        mayRemove && (
          <RemoveSelectedButton word={removeWordOf(description.name)} warning={removeWarningOf(description.name)} />
        )
      }
    >
      {columnsOf(description).map((field) => (
        <DataTable.Col key={field.name} source={field.name} label={fieldLabel(field)} disableSort={!field.sortable}>
          <Value field={field} />
        </DataTable.Col>
      ))}
    </DataTable>
  );
}

/** On a phone: one line that says which row it is, and one of what else is known. */
function Rows({ description }: { description: ResourceDescription }) {
  const [first, second, third] = columnsOf(description);
  return (
    <SimpleList
      rowClick="show"
      primaryText={(row) =>
        description.name === 'events' && second ? <Value field={second} /> : rowName(description, row)
      }
      secondaryText={() => second && <Value field={description.name === 'events' && first ? first : second} />}
      tertiaryText={() => third && <Value field={third} />}
    />
  );
}

function Nothing({ description }: { description: ResourceDescription }) {
  const Icon = iconOf(description.name);
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1, width: '100%', mt: 10, textAlign: 'center' }}>
      <Icon sx={{ fontSize: 56, color: 'text.secondary' }} />
      <Typography variant="h6">{emptyTextOf(description)}</Typography>
      {description.description && <Typography color="text.secondary">{description.description}</Typography>}
      {description.operations.has('create') && <CreateButton variant="contained" sx={{ mt: 1 }} />}
    </Box>
  );
}
