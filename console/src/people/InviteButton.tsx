import MailIcon from '@mui/icons-material/MailOutlined';
import { lazy, Suspense, useState } from 'react';
import { Button } from 'react-admin';

const InvitePerson = lazy(() => import('./InvitePerson.tsx'));

export function InviteButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button label="Invite" startIcon={<MailIcon />} onClick={() => setOpen(true)} />
      {open && (
        <Suspense>
          <InvitePerson onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
