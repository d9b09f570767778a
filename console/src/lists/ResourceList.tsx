import { Box, Typography } from '@mui/material';
import { useState } from 'react';
import { CreateButton, List } from 'react-admin';
import { BulkBar } from '../bulk/BulkBar.tsx';
import { useDescription } from '../data/described.tsx';
import type { ResourceDescription } from '../data/descriptions.ts';
import { firstPageSize } from '../data/rows-ahead.ts';
import { columnsOf, emptyTextOf, isOwn, labelOf, orderOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { ImportButton } from '../transfer/ImportButton.tsx';
import { ListAway } from '../widgets/LoadError.tsx';
import { ResourceIcon } from '../widgets/ResourceIcon.tsx';
import { filtersOf } from './Filters.tsx';
import { ListActions } from './ListActions.tsx';
import { Pages } from './Pages.tsx';
import { Rows } from './Rows.tsx';

/** A list of any resource, made from its description. */
export function ResourceList() {
  const description = useDescription();
  const { operations, fields } = description;
  const [isCounted, setCounted] = useState(false);
  const columns = columnsOf(description);
  const more = fields.filter((field) => !field.writeOnly && !columns.includes(field));
  return (
    <List
      disableAuthentication
      title={labelOf(description)}
      filters={filtersOf(description)}
      actions={<ListActions />}
      sort={orderOf(description)}
      perPage={firstPageSize}
      pagination={<Pages onCountAll={() => setCounted(true)} />}
      exporter={false}
      error={<ListAway />}
      queryOptions={{ onError: () => undefined, ...(isCounted ? { meta: { count: 'exact' } } : {}) }}
      empty={<Nothing description={description} />}
    >
      <BulkBar />
      <Rows columns={columns} more={more} sorted selectable={operations.has('delete') || operations.has('update')} />
    </List>
  );
}

function Nothing({ description }: { description: ResourceDescription }) {
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1, width: '100%', mt: 10, textAlign: 'center' }}>
      <ResourceIcon description={description} size={56} />
      <Typography variant="h6">{emptyTextOf(description)}</Typography>
      {description.description && !isOwn(description) && (
        <Typography sx={{ color: 'text.secondary' }}>{say(description.description)}</Typography>
      )}
      {description.operations.has('create') && (
        <Box sx={{ display: 'flex', gap: 1, mt: 1 }}>
          <CreateButton variant="contained" />
          <ImportButton />
        </Box>
      )}
    </Box>
  );
}
