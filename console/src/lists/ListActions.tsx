import AddIcon from '@mui/icons-material/Add';
import FiguresIcon from '@mui/icons-material/BarChartOutlined';
import CodeIcon from '@mui/icons-material/CodeOutlined';
import TrashIcon from '@mui/icons-material/DeleteOutlined';
import DensityIcon from '@mui/icons-material/DensityMedium';
import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import UploadIcon from '@mui/icons-material/FileUploadOutlined';
import MoreIcon from '@mui/icons-material/MoreHoriz';
import { Box, Button, IconButton, ListItemIcon, ListItemText, Menu, MenuItem } from '@mui/material';
import { memo, Suspense, useState } from 'react';
import { ColumnsButton, FilterButton, Link, SortButton, useListContext, useStore } from 'react-admin';
import { CodeDrawer, ExportDialog, ImportDialog } from '../../../extensions/all-console-parts.ts';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { deletedKey } from '../data/to-list-query.ts';
import { translate } from '../text/translate.ts';
import { useIsNarrow } from '../widgets/useIsNarrow.ts';
import { densityKey } from './Rows.tsx';

/** Beside the search box: filters, columns and order. */
export const ListActions = memo(({ onColumns }: { onColumns: () => void }) => {
  const { name, fields } = useDescription();
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

/** Whether lists show their figures. */
export const figuresKey = 'lists.figures';

/** All actions of a list except creating a row. Its dialogs stay open when the list becomes empty, or gets its first rows. */
export function ListMenu() {
  const { operations, softDelete } = useDescription();
  const [figures, setFigures] = useStore<boolean>(figuresKey, false);
  const { filterValues = {}, setFilters } = useListContext();
  const isTrash = filterValues[deletedKey] !== undefined;
  const [place, setPlace] = useState<HTMLElement>();
  const [Dialog, setDialog] = useState<typeof ExportDialog>();
  const [density, setDensity] = useStore<'small' | 'medium'>(densityKey, 'small');
  const isNarrow = useIsNarrow();
  const item = (label: string, Icon: typeof MoreIcon, onChoice: () => void) => (
    <MenuItem
      onClick={() => {
        setPlace(undefined);
        onChoice();
      }}
    >
      <ListItemIcon>
        <Icon fontSize="small" />
      </ListItemIcon>
      <ListItemText>{label}</ListItemText>
    </MenuItem>
  );
  return (
    <>
      <IconButton
        size="small"
        color="primary"
        aria-label={translate('More actions')}
        title={translate('More actions')}
        aria-haspopup="menu"
        onClick={({ currentTarget }) => setPlace(currentTarget)}
      >
        <MoreIcon />
      </IconButton>
      <Menu open={place !== undefined} anchorEl={place ?? null} onClose={() => setPlace(undefined)}>
        {item(translate(figures ? 'Hide figures' : 'Show figures'), FiguresIcon, () => setFigures(!figures))}
        {softDelete &&
          (isTrash
            ? item(translate('Leave deleted rows'), TrashIcon, () => setFilters({}, {}))
            : item(translate('Deleted rows'), TrashIcon, () =>
                setFilters({ [deletedKey]: 'only' }, { [deletedKey]: true }),
              ))}
        {item(translate('Export'), DownloadIcon, () => setDialog(() => ExportDialog))}
        {operations.has('create') && item(translate('Import'), UploadIcon, () => setDialog(() => ImportDialog))}
        {item(translate('API'), CodeIcon, () => setDialog(() => CodeDrawer))}
        {!isNarrow &&
          (density === 'small'
            ? item(translate('Rows further apart'), DensityIcon, () => setDensity('medium'))
            : item(translate('Rows closer together'), DensityIcon, () => setDensity('small')))}
      </Menu>
      <Suspense>{Dialog && <Dialog onClose={() => setDialog(undefined)} />}</Suspense>
    </>
  );
}
