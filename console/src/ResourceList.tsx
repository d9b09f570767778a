import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { CreateButton, List, Pagination } from 'react-admin';
import { ListAway } from './away/Away.tsx';
import { useDescription } from './described.tsx';
import type { ResourceDescription } from './descriptions.ts';
import { filtersOf } from './Filters.tsx';
import { iconOf } from './icons.ts';
import { columnsOf, emptyTextOf, labelOf, orderOf, removeWarningOf, removeWordOf } from './presentation.ts';
import { RemoveSelectedButton } from './RemoveButtons.tsx';
import { Rows } from './Rows.tsx';

/** A list of any resource, made from its description. */
export function ResourceList() {
  const description = useDescription();
  const { name, operations } = description;
  return (
    <List
      title={labelOf(name)}
      filters={filtersOf(description)}
      sort={orderOf(description)}
      perPage={25}
      pagination={<Pagination rowsPerPageOptions={[10, 25, 50, 100]} />}
      exporter={false}
      error={<ListAway />}
      queryOptions={{ onError: () => undefined }}
      empty={<Nothing description={description} />}
    >
      <Rows
        columns={columnsOf(description)}
        sorted
        bulkActions={
          operations.has('delete') && <RemoveSelectedButton word={removeWordOf(name)} warning={removeWarningOf(name)} />
        }
      />
    </List>
  );
}

function Nothing({ description }: { description: ResourceDescription }) {
  const Icon = iconOf(description.name);
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1, width: '100%', mt: 10, textAlign: 'center' }}>
      <Icon sx={{ fontSize: 56, color: 'text.secondary' }} />
      <Typography variant="h6">{emptyTextOf(description)}</Typography>
      {description.description && <Typography sx={{ color: 'text.secondary' }}>{description.description}</Typography>}
      {description.operations.has('create') && <CreateButton variant="contained" sx={{ mt: 1 }} />}
    </Box>
  );
}
