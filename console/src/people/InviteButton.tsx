import MailIcon from '@mui/icons-material/MailOutlined';
import Button from '@mui/material/Button';
import { lazy, Suspense, useState } from 'react';
import { say } from '../say.ts';

const InvitePerson = lazy(() => import('./InvitePerson.tsx'));

export function InviteButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="small" startIcon={<MailIcon />} onClick={() => setOpen(true)}>
        {say('Invite')}
      </Button>
      {open && (
        <Suspense>
          <InvitePerson onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
