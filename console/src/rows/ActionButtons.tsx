import KeyIcon from '@mui/icons-material/KeyOutlined';
import { useState } from 'react';
import { type RaRecord, required, SelectInput, useGetIdentity, useRecordContext } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { type ActionDescription, useDescription } from '../data/DescriptionsProvider.tsx';
import { throwFormError } from '../data/form-error.ts';
import { Input } from '../forms/Input.tsx';
import { humanizeName, isBuiltin, rowName } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { ActionButton } from '../widgets/DialogButton.tsx';
import { FormButton } from '../widgets/FormDialog.tsx';
import { useTask } from '../widgets/useTask.ts';
import { RevealedSecrets, secretsIn } from './RevealedSecrets.tsx';

/** The messages after built-in actions. After an action of the operator, the message is "Done". */
const doneTexts = new Map([
  ['Send a ping', 'The ping is on its way.'],
  ['Send deliveries again', 'The deliveries are sent again.'],
  ['Try it again now', 'The job is tried again now.'],
  ['Run it now', 'The job runs now.'],
]);

/** A button for each action that is declared on the row, and the secrets that the last action returned. */
export function ActionButtons() {
  // An action can change the row so that its button disappears. The secrets stay.
  const [secrets, setSecrets] = useState<[string, string][]>([]);
  const actions = useRowActions();
  return (
    <>
      {actions.map((action) => (
        <RowAction key={action.name} action={action} onSecrets={setSecrets} />
      ))}
      {secrets.length > 0 && <RevealedSecrets secrets={secrets} onClose={() => setSecrets([])} />}
    </>
  );
}

function useRowActions(): ActionDescription[] {
  const { name, actions } = useDescription();
  const row = useRecordContext();
  const { identity } = useGetIdentity();
  // The value of a token is shown once, and to its owner.
  if (name === 'tokens' && (row?.revealed !== false || row.user_id !== identity?.id)) return [];
  // The page of a person has separate buttons.
  if (name === 'users' || (name === 'clients' && row?.public)) return [];
  return actions.filter(({ on }) => on === 'row');
}

interface Props {
  action: ActionDescription;
  onSecrets: (secrets: [string, string][]) => void;
}

function RowAction({ action: { name, summary, fields }, onSecrets }: Props) {
  const description = useDescription();
  const row = useRecordContext();
  const { run } = useTask();
  if (!row) return null;
  const word = translate(isBuiltin(description) ? summary : humanizeName(name));
  const successMessage = translate(doneTexts.get(summary) ?? 'Done');

  async function act(values: Record<string, unknown>) {
    const filledIn = fields.filter((field) => values[field.name] !== undefined && values[field.name] !== null);
    const body = Object.fromEntries(filledIn.map((field) => [field.name, values[field.name]]));
    const rows = gatehouse.resource(description.name);
    const data = await rows.act<Record<string, unknown> | undefined>(String(row?.id), name, body).catch(throwFormError);
    onSecrets(secretsIn(data ?? {}));
  }

  const dialog = {
    label: word,
    title: translate('{action}: {row}', { action: word, row: rowName(description, row) }),
    text: word !== translate(summary) && translate(summary),
    confirm: fields.length === 0 ? translate('Confirm') : word,
    successMessage,
    form: { record: {}, defaultValues: {} },
    children: fields.length > 0 && fields.map((field) => <Input key={field.name} field={field} />),
  };
  // A built-in action without values runs at once, because its label says what it does.
  if (isBuiltin(description) && fields.length === 0) {
    return <ActionButton label={word} onClick={() => void run(() => act({}), successMessage)} />;
  }
  return <FormButton {...(description.name === 'clients' ? newSecretDialog(row) : dialog)} onSubmit={act} />;
}

/** For how many hours the old secret stays valid. */
const graces = [
  { id: 0, name: 'No time: end it now' },
  { id: 1, name: '1 hour' },
  { id: 24, name: '1 day' },
  { id: 168, name: '7 days' },
];

/** Creates a new secret for a client. The old secret can stay valid for a while. */
const newSecretDialog = (client: RaRecord) => ({
  label: translate('New secret'),
  icon: KeyIcon,
  act: 'new-secret',
  title: translate('New secret for “{name}”?', { name: client.name }),
  text: translate('Give the new secret to every application that uses the old one.'),
  confirm: translate('Create a new secret'),
  maxWidth: 'xs' as const,
  form: { record: { keep_old_hours: 24 } },
  children: (
    <SelectInput
      source="keep_old_hours"
      label={translate('Keep the old secret working for')}
      choices={graces}
      validate={required()}
    />
  ),
});
