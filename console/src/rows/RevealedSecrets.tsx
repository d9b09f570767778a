import { Button, TextField } from '@mui/material';
import { humanizeName } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { CopyButton } from '../widgets/Code.tsx';
import { ConfirmDialog } from '../widgets/ConfirmDialog.tsx';

const secretNames = new Set(['client_secret', 'access_token', 'secret']);

/** The values in a response that are shown only once, and the client to which they belong. */
export function secretsIn({ client_id: clientId, ...response }: Record<string, unknown>): [string, string][] {
  const secrets = Object.entries(response).filter(
    (entry): entry is [string, string] => secretNames.has(entry[0]) && typeof entry[1] === 'string',
  );
  const isOfClient = secrets.some(([name]) => name === 'client_secret') && typeof clientId === 'string';
  return isOfClient ? [['client_id', clientId], ...secrets] : secrets;
}

/** Shows a secret. The service returns it only once. */
export function RevealedSecrets({ secrets, onClose }: { secrets: [string, string][]; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={translate('Copy it now')}
      text={translate('It is shown only once and not stored in readable form. If you lose it, create a new secret.')}
      cancel={null}
      actions={
        <Button variant="contained" onClick={onClose}>
          {translate('I have copied it')}
        </Button>
      }
      keepsOpen={{ current: true }}
      onClose={onClose}
    >
      {secrets.map(([name, value]) => (
        <TextField
          key={name}
          label={humanizeName(name)}
          value={value}
          multiline={value.length > 60}
          slotProps={{
            htmlInput: { readOnly: true, className: 'mono', spellCheck: false },
            input: { endAdornment: <CopyButton text={value} /> },
          }}
        />
      ))}
    </ConfirmDialog>
  );
}
