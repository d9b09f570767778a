import FiguresIcon from '@mui/icons-material/BarChartOutlined';
import CodeIcon from '@mui/icons-material/CodeOutlined';
import TrashIcon from '@mui/icons-material/DeleteOutlined';
import DensityIcon from '@mui/icons-material/DensityMedium';
import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import UploadIcon from '@mui/icons-material/FileUploadOutlined';
import MoreIcon from '@mui/icons-material/MoreHoriz';
import { IconButton, ListItemIcon, ListItemText, Menu, MenuItem } from '@mui/material';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useListContext, useStore } from 'react-admin';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { deletedKey } from '../data/to-list-query.ts';
import { translate } from '../text/translate.ts';
import { useIsNarrow } from '../widgets/useIsNarrow.ts';
import { densityKey } from './Rows.tsx';

const CodeDrawer = lazy(() => import('../rows/CodeDrawer.tsx'));
const ExportDialog = lazy(() => import('../transfer/ExportDialog.tsx'));
const ImportDialog = lazy(() => import('../transfer/ImportDialog.tsx'));

type Dialog = 'export' | 'import' | 'api';

/** Whether lists show their figures. */
export const figuresKey = 'lists.figures';

/** All actions of a list except creating a row. */
export function ListMenu() {
  const { operations, softDelete } = useDescription();
  const [figures, setFigures] = useStore<boolean>(figuresKey, false);
  const { filterValues = {}, setFilters } = useListContext();
  const isTrash = filterValues[deletedKey] !== undefined;
  const [place, setPlace] = useState<HTMLElement>();
  const [dialog, setDialog] = useState<Dialog>();
  const [density, setDensity] = useStore<'small' | 'medium'>(densityKey, 'small');
  const isNarrow = useIsNarrow();
  const choose = (then: () => void) => () => {
    setPlace(undefined);
    then();
  };
  const item = (label: string, icon: ReactNode, then: () => void) => (
    <MenuItem onClick={choose(then)}>
      <ListItemIcon>{icon}</ListItemIcon>
      <ListItemText>{label}</ListItemText>
    </MenuItem>
  );
  const close = () => setDialog(undefined);
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
        {item(figures ? translate('Hide figures') : translate('Show figures'), <FiguresIcon fontSize="small" />, () =>
          setFigures(!figures),
        )}
        {softDelete &&
          item(
            isTrash ? translate('Leave deleted rows') : translate('Deleted rows'),
            <TrashIcon fontSize="small" />,
            () => setFilters(isTrash ? {} : { [deletedKey]: 'only' }, isTrash ? {} : { [deletedKey]: true }),
          )}
        {item(translate('Export'), <DownloadIcon fontSize="small" />, () => setDialog('export'))}
        {operations.has('create') &&
          item(translate('Import'), <UploadIcon fontSize="small" />, () => setDialog('import'))}
        {item(translate('API'), <CodeIcon fontSize="small" />, () => setDialog('api'))}
        {!isNarrow &&
          item(
            density === 'small' ? translate('Rows further apart') : translate('Rows closer together'),
            <DensityIcon fontSize="small" />,
            () => setDensity(density === 'small' ? 'medium' : 'small'),
          )}
      </Menu>
      <Suspense>
        {dialog === 'api' && <CodeDrawer onClose={close} />}
        {dialog === 'export' && <ExportDialog onClose={close} />}
        {dialog === 'import' && <ImportDialog onClose={close} />}
      </Suspense>
    </>
  );
}
