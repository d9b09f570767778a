import CloseIcon from '@mui/icons-material/Close';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import EditIcon from '@mui/icons-material/EditOutlined';
import { Button, IconButton, Paper, Typography } from '@mui/material';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useListContext, useRefresh } from 'react-admin';
import { useDescription } from '../../../console/src/data/DescriptionsProvider.tsx';
import { countText, removalText } from '../../../console/src/text/presentation.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { countOf, type Selection, sharedFields } from './selected-rows.ts';

const BulkDialog = lazy(() => import('./BulkDialog.tsx'));

/** The number of selected rows, and the actions on them. */
export function BulkBar() {
  const description = useDescription();
  const { selectedIds, onSelect, onUnselectItems, filterValues, total, data = [] } = useListContext();
  const refresh = useRefresh();
  const [task, setTask] = useState<'update' | 'delete'>();
  const [all, setAll] = useState<number>();
  const filterText = JSON.stringify(filterValues);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter matches other rows.
  useEffect(() => setAll(undefined), [filterText, selectedIds.length]);
  // A selection ends when the list is left and when its filter changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another list.
  useEffect(() => () => onSelect([]), [description.name, filterText]);

  if (selectedIds.length === 0) return null;
  const { name, operations } = description;
  const count = all ?? selectedIds.length;
  const selection: Selection = all === undefined ? { ids: selectedIds.map(String) } : { filter: filterValues };
  const mayBeMore = data.length < (total ?? Number.POSITIVE_INFINITY) && all === undefined;

  function close() {
    setTask(undefined);
    onUnselectItems();
    refresh();
  }

  return (
    <Paper
      role="region"
      aria-label={translate('Selection')}
      sx={{
        ...{ position: 'sticky', top: { xs: 56, sm: 48 }, zIndex: 3, px: 1, py: 0.5, mb: 1 },
        ...{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, borderColor: 'primary.main' },
      }}
      elevation={1}
    >
      <IconButton aria-label={translate('Unselect all')} onClick={() => onUnselectItems()}>
        <CloseIcon />
      </IconButton>
      <Typography role="status" sx={{ fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}>
        {translate('{what} selected', { what: countText(count, description) })}
      </Typography>
      {mayBeMore && (
        <Button size="small" onClick={() => void countOf(name, filterValues).then(setAll)}>
          {total === undefined
            ? translate('Select all that match')
            : translate('Select all {count, number}', { count: total })}
        </Button>
      )}
      <span style={{ flex: 1 }} />
      {operations.has('update') && sharedFields(description).length > 0 && (
        <Button startIcon={<EditIcon />} onClick={() => setTask('update')}>
          {translate('Change')}
        </Button>
      )}
      {operations.has('delete') && (
        <Button color="error" startIcon={<DeleteIcon />} onClick={() => setTask('delete')}>
          {removalText(description, 'word')}
        </Button>
      )}
      {task && (
        <Suspense>
          <BulkDialog {...{ task, selection, total: count, onClose: close }} onCancel={() => setTask(undefined)} />
        </Suspense>
      )}
    </Paper>
  );
}
