import KeyIcon from '@mui/icons-material/KeyOutlined';
import { MenuItem, TextField, Typography } from '@mui/material';
import { useState } from 'react';
import { useRecordContext } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { throwFormError } from '../data/form-error.ts';
import { translate } from '../text/translate.ts';
import { ConfirmDialog } from '../widgets/ConfirmDialog.tsx';
import { DialogButton } from '../widgets/DialogButton.tsx';
import { useTask } from '../widgets/useTask.ts';
import { RevealedSecrets, secretsIn } from './RevealedSecrets.tsx';

const graces = [
  { hours: 0, label: 'No time: end it now' },
  { hours: 1, label: '1 hour' },
  { hours: 24, label: '1 day' },
  { hours: 168, label: '7 days' },
];

/** Creates a new secret for a client and shows it once. The old secret can stay valid for a while. */
export function NewSecretButton() {
  const client = useRecordContext();
  const { run } = useTask();
  const [hours, setHours] = useState(24);
  const [secrets, setSecrets] = useState<[string, string][]>();
  if (!client || client.public) return null;

  const create = async () => {
    const clients = gatehouse.resource('clients');
    const body = { keep_old_hours: hours };
    const secret = await clients.act<Record<string, unknown>>(String(client.id), 'secrets', body).catch(throwFormError);
    setSecrets(secretsIn(secret, client.id));
  };
  return (
    <>
      <DialogButton
        label={translate('New secret')}
        icon={KeyIcon}
        act="new-secret"
        dialog={(close) => (
          <ConfirmDialog
            title={translate('New secret for “{name}”?', { name: client.name })}
            confirm={translate('Create a new secret')}
            maxWidth="xs"
            onClose={close}
            onConfirm={() => {
              close();
              void run(create);
            }}
          >
            <Typography sx={{ color: 'text.secondary', mb: 1 }}>
              {translate('Give the new secret to every application that uses the old one.')}
            </Typography>
            <TextField
              select
              label={translate('Keep the old secret working for')}
              value={hours}
              onChange={({ target }) => setHours(Number(target.value))}
            >
              {graces.map((grace) => (
                <MenuItem key={grace.hours} value={grace.hours}>
                  {translate(grace.label)}
                </MenuItem>
              ))}
            </TextField>
          </ConfirmDialog>
        )}
      />
      {secrets && <RevealedSecrets secrets={secrets} onClose={() => setSecrets(undefined)} />}
    </>
  );
}
