import MailIcon from '@mui/icons-material/MailOutlined';
import { lazy } from 'react';
import { say } from '../text/say.ts';
import { DialogButton } from '../widgets/DialogButton.tsx';

const InvitePerson = lazy(() => import('./InvitePerson.tsx'));

export const InviteButton = () => (
  <DialogButton label={say('Invite')} icon={MailIcon} dialog={(close) => <InvitePerson onClose={close} />} />
);
