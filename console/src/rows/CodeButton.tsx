import CodeIcon from '@mui/icons-material/CodeOutlined';
import { lazy } from 'react';
import { say } from '../text/say.ts';
import { DialogButton } from '../widgets/DialogButton.tsx';

const CodeDrawer = lazy(() => import('./CodeDrawer.tsx'));

/** Opens the drawer on the page of a row. */
export const CodeButton = () => (
  <DialogButton label={say('API')} icon={CodeIcon} dialog={(close) => <CodeDrawer onClose={close} />} />
);
