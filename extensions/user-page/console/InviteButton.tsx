import MailIcon from '@mui/icons-material/MailOutlined';
import { lazy } from 'react';
import { translate } from '../../../console/src/text/translate.ts';
import { DialogButton } from '../../../console/src/widgets/DialogButton.tsx';

const InvitePerson = lazy(() => import('./InvitePerson.tsx'));

export const InviteButton = () => (
  <DialogButton label={translate('Invite')} icon={MailIcon} dialog={(close) => <InvitePerson onClose={close} />} />
);
