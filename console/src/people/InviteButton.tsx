import MailIcon from '@mui/icons-material/MailOutlined';
import { lazy, Suspense, useState } from 'react';
import { Button } from 'react-admin';
import { say } from '../text/say.ts';

const InvitePerson = lazy(() => import('./InvitePerson.tsx'));

export function InviteButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button label={say('Invite')} onClick={() => setOpen(true)}>
        <MailIcon />
      </Button>
      {open && (
        <Suspense>
          <InvitePerson onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
