import CodeIcon from '@mui/icons-material/CodeOutlined';
import DensityIcon from '@mui/icons-material/DensityMedium';
import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import UploadIcon from '@mui/icons-material/FileUploadOutlined';
import MoreIcon from '@mui/icons-material/MoreHoriz';
import { IconButton, ListItemIcon, ListItemText, Menu, MenuItem } from '@mui/material';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useStore } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import { CodeDrawer } from '../rows/CodeDrawer.tsx';
import { say } from '../text/say.ts';
import { useNarrow } from '../widgets/narrow.ts';
import { densityKey } from './Rows.tsx';

const ExportDialog = lazy(() => import('../transfer/ExportDialog.tsx'));
const ImportDialog = lazy(() => import('../transfer/ImportDialog.tsx'));

type Dialog = 'export' | 'import' | 'api';

/** Everything that can be done with a list besides creating a row. */
export function ListMenu() {
  const { operations } = useDescription();
  const [place, setPlace] = useState<HTMLElement>();
  const [dialog, setDialog] = useState<Dialog>();
  const [density, setDensity] = useStore<'small' | 'medium'>(densityKey, 'small');
  const narrow = useNarrow();
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
        aria-label={say('More actions')}
        title={say('More actions')}
        aria-haspopup="menu"
        onClick={({ currentTarget }) => setPlace(currentTarget)}
      >
        <MoreIcon />
      </IconButton>
      <Menu open={place !== undefined} anchorEl={place ?? null} onClose={() => setPlace(undefined)}>
        {item(say('Export'), <DownloadIcon fontSize="small" />, () => setDialog('export'))}
        {operations.has('create') && item(say('Import'), <UploadIcon fontSize="small" />, () => setDialog('import'))}
        {item(say('API'), <CodeIcon fontSize="small" />, () => setDialog('api'))}
        {!narrow &&
          item(
            density === 'small' ? say('Rows further apart') : say('Rows closer together'),
            <DensityIcon fontSize="small" />,
            () => setDensity(density === 'small' ? 'medium' : 'small'),
          )}
      </Menu>
      <CodeDrawer open={dialog === 'api'} onClose={close} />
      <Suspense>
        {dialog === 'export' && <ExportDialog onClose={close} />}
        {dialog === 'import' && <ImportDialog onClose={close} />}
      </Suspense>
    </>
  );
}
