import KeyIcon from '@mui/icons-material/KeyOutlined';
import { MenuItem, TextField, Typography } from '@mui/material';
import { useState } from 'react';
import { Button, useDataProvider, useRecordContext } from 'react-admin';
import { say } from '../text/say.ts';
import { AskDialog } from '../widgets/AskDialog.tsx';
import { useTask } from '../widgets/useTask.ts';
import { RevealedSecrets, secretsIn } from './RevealedSecrets.tsx';

const graces = [
  { hours: 0, label: 'It ends at once' },
  { hours: 1, label: 'For one more hour' },
  { hours: 24, label: 'For one more day' },
  { hours: 168, label: 'For one more week' },
];

/** Creates a new secret for a client and shows it once. The old secret can keep working for a while. */
export function NewSecretButton() {
  const client = useRecordContext();
  const dataProvider = useDataProvider();
  const { run } = useTask();
  const [asking, setAsking] = useState(false);
  const [hours, setHours] = useState(24);
  const [secrets, setSecrets] = useState<[string, string][]>();
  if (!client || client.public) return null;

  const create = async () => {
    const body = { keep_old_hours: hours };
    const { data } = await dataProvider.act('clients', { id: client.id, action: 'secrets', body });
    setSecrets(secretsIn(data, client.id));
  };
  return (
    <>
      <Button label={say('New secret')} onClick={() => setAsking(true)}>
        <KeyIcon />
      </Button>
      {asking && (
        <AskDialog
          title={say('New secret for “{name}”?', { name: client.name })}
          confirm={say('Make a new secret')}
          maxWidth="xs"
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            void run(create);
          }}
        >
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
        </AskDialog>
      )}
      {secrets && <RevealedSecrets secrets={secrets} onClose={() => setSecrets(undefined)} />}
    </>
  );
}
