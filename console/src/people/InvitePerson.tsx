import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  TextField,
  Typography,
} from '@mui/material';
import { type FormEvent, useId, useState } from 'react';
import { useNotify, useRedirect } from 'react-admin';
import { GatehouseError } from '../../../client/errors.ts';
import { gatehouse } from '../data/api.ts';
import { say } from '../text/say.ts';
import { RoleChoice } from './RolesButton.tsx';

/** Makes a user by name and address, who chooses a password by the link in a mail. */
export default function InvitePerson({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [roles, setRoles] = useState<string[]>([]);
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const notify = useNotify();
  const redirect = useRedirect();
  const id = useId();

  async function invite(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setWrong({});
    try {
      const sent = { email, roles, ...(name === '' ? {} : { name }) };
      const { body } = await gatehouse.call({ method: 'POST', path: '/v1/invitations', body: sent });
      notify(say('An invitation to {email} is on its way.', { email }), { type: 'success' });
      onClose();
      redirect('show', 'users', (body as { data: { id: string } }).data.id);
    } catch (error) {
      const fields = error instanceof GatehouseError ? error.fields : [];
      setWrong(Object.fromEntries(fields.map(({ field, message }) => [field, message])));
      if (fields.length === 0) notify((error as Error).message, { type: 'error' });
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="xs" fullWidth>
      <Box component="form" onSubmit={(event) => void invite(event)} noValidate>
        <DialogTitle id={id}>{say('Invite a person')}</DialogTitle>
        <DialogContent>
          <DialogContentText>
            {say('They get a mail with a link to choose a password. It works for three days.')}
          </DialogContentText>
          <TextField
            label={say('Email')}
            type="email"
            required
            autoFocus
            value={email}
            error={wrong.email !== undefined}
            helperText={wrong.email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <TextField
            label={say('Name')}
            value={name}
            error={wrong.name !== undefined}
            helperText={wrong.name}
            onChange={(event) => setName(event.target.value)}
          />
          <Typography variant="body2" color="textSecondary" sx={{ mt: 1 }}>
            {say('Roles')}
          </Typography>
          <RoleChoice chosen={roles} onChange={setRoles} />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{say('Cancel')}</Button>
          <Button type="submit" variant="contained" loading={busy}>
            {say('Send invitation')}
          </Button>
        </DialogActions>
      </Box>
    </Dialog>
  );
}
