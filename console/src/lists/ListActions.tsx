import AddIcon from '@mui/icons-material/Add';
import { Box, Button } from '@mui/material';
import { memo } from 'react';
import { ColumnsButton, FilterButton, Link, SortButton } from 'react-admin';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { InviteButton } from '../people/InviteButton.tsx';
import { translate } from '../text/translate.ts';
import { PageActions } from '../widgets/PageActions.tsx';
import { useIsNarrow } from '../widgets/useIsNarrow.ts';
import { ListMenu } from './ListMenu.tsx';

/** Beside the search box: filters, columns and order. Beside the title: actions. */
export const ListActions = memo(({ onColumns }: { onColumns: () => void }) => {
  const { name, operations, fields } = useDescription();
  const isNarrow = useIsNarrow();
  const sortable = fields.filter((field) => field.sortable).map((field) => field.name);
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}>
      <FilterButton />
      {isNarrow
        ? sortable.length > 0 && <SortButton fields={sortable} />
        : // The audit trail is written as sentences.
          name !== 'events' && (
            <span onClickCapture={onColumns}>
              <ColumnsButton />
            </span>
          )}
      <PageActions>
        {name === 'users' && operations.has('create') && <InviteButton />}
        <CreateButton />
        <ListMenu />
      </PageActions>
    </Box>
  );
});

export function CreateButton() {
  const { name, operations } = useDescription();
  if (!operations.has('create')) return null;
  return (
    <Button component={Link} to={`/${name}/create`} variant="contained" startIcon={<AddIcon />}>
      {translate('Create')}
    </Button>
  );
}
