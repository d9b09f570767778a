import KeyIcon from '@mui/icons-material/KeyOutlined';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  MenuItem,
  Button as MuiButton,
  TextField,
  Typography,
} from '@mui/material';
import { useState } from 'react';
import { Button, useDataProvider, useNotify, useRecordContext } from 'react-admin';
import { say } from '../text/say.ts';
import { Revealed, secretsIn } from './RevealedSecrets.tsx';

const graces = [
  { hours: 0, label: 'It ends at once' },
  { hours: 1, label: 'For one more hour' },
  { hours: 24, label: 'For one more day' },
  { hours: 168, label: 'For one more week' },
];

/** Makes a new secret for a client, and shows it once. The old one may go on for a while, until all have the new one. */
export function NewSecretButton() {
  const client = useRecordContext();
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const [asking, setAsking] = useState(false);
  const [hours, setHours] = useState(24);
  const [secrets, setSecrets] = useState<[string, string][]>();

  async function make() {
    setAsking(false);
    const body = { keep_old_hours: hours };
    try {
      const { data } = await dataProvider.act('clients', { id: client?.id, action: 'secrets', body });
      setSecrets(secretsIn(data, client?.id));
    } catch (error) {
      notify((error as Error).message, { type: 'error' });
    }
  }

  if (!client || client.public) return null;
  return (
    <>
      <Button label={say('New secret')} onClick={() => setAsking(true)}>
        <KeyIcon />
      </Button>
      <Dialog open={asking} onClose={() => setAsking(false)} fullWidth maxWidth="xs" aria-labelledby="new-secret">
        <DialogTitle id="new-secret">{say('New secret for “{name}”?', { name: client.name })}</DialogTitle>
        <DialogContent>
          <Typography sx={{ color: 'text.secondary', mb: 1 }}>
            {say('Applications that use the old secret must be given the new one.')}
          </Typography>
          <TextField
            select
            label={say('The old secret')}
            value={hours}
            onChange={({ target }) => setHours(Number(target.value))}
          >
            {graces.map((grace) => (
              <MenuItem key={grace.hours} value={grace.hours}>
                {say(grace.label)}
              </MenuItem>
            ))}
          </TextField>
        </DialogContent>
        <DialogActions>
          <MuiButton color="inherit" onClick={() => setAsking(false)}>
            {say('Cancel')}
          </MuiButton>
          <MuiButton variant="contained" onClick={() => void make()}>
            {say('Make a new secret')}
          </MuiButton>
        </DialogActions>
      </Dialog>
      {secrets && <Revealed secrets={secrets} onClose={() => setSecrets(undefined)} />}
    </>
  );
}
