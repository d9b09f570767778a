import { Typography } from '@mui/material';
import { useState } from 'react';
import { useGetIdentity, useNotify, useRecordContext, useRefresh } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import type { ActionDescription } from '../data/descriptions.ts';
import { throwFormError } from '../data/form-error.ts';
import { Input } from '../forms/Input.tsx';
import { humanizeName, isBuiltin, rowName } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { ActionButton, DialogButton } from '../widgets/DialogButton.tsx';
import { FormDialog } from '../widgets/FormDialog.tsx';
import { useTask } from '../widgets/useTask.ts';
import { RevealedSecrets, secretsIn } from './RevealedSecrets.tsx';

/** The messages after built-in actions. After an action of the operator, the message is "Done". */
const doneTexts = new Map([
  ['Send a ping', 'The ping is on its way.'],
  ['Send deliveries again', 'The deliveries are sent again.'],
  ['Try it again now', 'The job is tried again now.'],
  ['Run it now', 'The job runs now.'],
]);

/** A button for each action that is declared on the row. */
export function ActionButtons() {
  const description = useDescription();
  const row = useRecordContext();
  const { identity } = useGetIdentity();
  // The value of a token is shown once, and to its owner.
  if (description.name === 'tokens' && (row?.revealed !== false || row.user_id !== identity?.id)) return null;
  // The pages of people and clients have separate buttons.
  if (description.name === 'users' || description.name === 'clients') return null;
  return description.actions
    .filter(({ on }) => on === 'row')
    .map((action) => <RowAction key={action.name} action={action} />);
}

function RowAction({ action: { name, summary, fields } }: { action: ActionDescription }) {
  const description = useDescription();
  const row = useRecordContext();
  const notify = useNotify();
  const refresh = useRefresh();
  const { run } = useTask();
  const [secrets, setSecrets] = useState<[string, string][]>([]);
  if (!row) return null;
  const word = isBuiltin(description) ? translate(summary) : translate(humanizeName(name));
  // A built-in action without values runs at once, because its label says what it does.
  const isPlain = isBuiltin(description) && fields.length === 0;

  async function act(values: Record<string, unknown>, close = () => {}) {
    const body = Object.fromEntries(
      fields.map((field) => [field.name, values[field.name] ?? undefined]).filter(([, value]) => value !== undefined),
    );
    const rows = gatehouse.resource(description.name);
    const data = await rows.act<Record<string, unknown> | undefined>(String(row?.id), name, body).catch(throwFormError);
    close();
    setSecrets(secretsIn(data ?? {}));
    notify(translate(doneTexts.get(summary) ?? 'Done'), { type: 'success' });
    refresh();
  }

  return (
    <>
      {isPlain ? (
        <ActionButton label={word} onClick={() => void run(() => act({}))} />
      ) : (
        <DialogButton
          label={word}
          dialog={(close) => (
            <FormDialog
              title={translate('{action}: {row}', { action: word, row: rowName(description, row) })}
              confirm={fields.length === 0 ? translate('Confirm') : word}
              onClose={close}
              onSubmit={(values) => act(values, close)}
              form={{ record: {}, defaultValues: {} }}
            >
              {word !== translate(summary) && (
                <Typography sx={{ color: 'text.secondary', mb: 1 }}>{translate(summary)}</Typography>
              )}
              {fields.map((field) => (
                <Input key={field.name} field={field} />
              ))}
            </FormDialog>
          )}
        />
      )}
      {secrets.length > 0 && <RevealedSecrets secrets={secrets} onClose={() => setSecrets([])} />}
    </>
  );
}
