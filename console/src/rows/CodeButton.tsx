import CodeIcon from '@mui/icons-material/CodeOutlined';
import { lazy } from 'react';
import { translate } from '../text/translate.ts';
import { DialogButton } from '../widgets/DialogButton.tsx';

const CodeDrawer = lazy(() => import('./CodeDrawer.tsx'));

/** Opens the drawer on the page of a row. */
export const CodeButton = () => (
  <DialogButton label={translate('API')} icon={CodeIcon} dialog={(close) => <CodeDrawer onClose={close} />} />
);
