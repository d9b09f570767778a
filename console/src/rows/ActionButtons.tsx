import KeyIcon from '@mui/icons-material/KeyOutlined';
import ReplayIcon from '@mui/icons-material/Replay';
import { Box, Button } from '@mui/material';
import { useState } from 'react';
import { type RaRecord, required, SelectInput, useGetIdentity, useRecordContext } from 'react-admin';
import { type FailureCode, failureMeanings } from '../../../extensions/providers/client/failure-meanings.ts';
import { gatehouse, root } from '../data/api.ts';
import { type ActionDescription, useDescription } from '../data/DescriptionsProvider.tsx';
import { throwFormError } from '../data/form-error.ts';
import { Input } from '../forms/Input.tsx';
import { humanizeName, isBuiltin, rowName } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { timeAgo } from '../text/value-text.ts';
import { ActionButton } from '../widgets/DialogButton.tsx';
import { FormButton } from '../widgets/FormDialog.tsx';
import { MutedText, Section } from '../widgets/Section.tsx';
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
  // The page of a person has separate buttons.
  if (description.name === 'users' || (description.name === 'clients' && row?.public)) return null;
  return description.actions
    .filter(({ on }) => on === 'row')
    .map((action) => <RowAction key={action.name} action={action} />);
}

function RowAction({ action: { name, summary, fields } }: { action: ActionDescription }) {
  const description = useDescription();
  const row = useRecordContext();
  const { run } = useTask();
  const [secrets, setSecrets] = useState<[string, string][]>([]);
  if (!row) return null;
  const word = translate(isBuiltin(description) ? summary : humanizeName(name));
  const successMessage = translate(doneTexts.get(summary) ?? 'Done');

  async function act(values: Record<string, unknown>) {
    const filledIn = fields.filter((field) => values[field.name] !== undefined && values[field.name] !== null);
    const body = Object.fromEntries(filledIn.map((field) => [field.name, values[field.name]]));
    const rows = gatehouse.resource(description.name);
    const data = await rows.act<Record<string, unknown> | undefined>(String(row?.id), name, body).catch(throwFormError);
    setSecrets(secretsIn(data ?? {}));
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
  return (
    <>
      {/* A built-in action without values runs at once, because its label says what it does. */}
      {isBuiltin(description) && fields.length === 0 ? (
        <ActionButton label={word} onClick={() => void run(() => act({}), successMessage)} />
      ) : (
        <FormButton {...(description.name === 'clients' ? newSecretDialog(row) : dialog)} onSubmit={act} />
      )}
      {secrets.length > 0 && <RevealedSecrets secrets={secrets} onClose={() => setSecrets([])} />}
    </>
  );
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

/** Sends a delivery again, even if it still waits. */
export function SendAgain() {
  const delivery = useRecordContext();
  const { busy, run } = useTask();
  if (!delivery || delivery.state === 'waiting') return null;
  const { id, webhook_id } = delivery;
  const webhooks = gatehouse.resource('webhooks');
  const send = () => webhooks.act(String(webhook_id), 'redeliveries', { deliveries: [id] }).catch(throwFormError);
  const again = () => void run(send, translate('The delivery is sent again.'));
  return <ActionButton label={translate('Send again')} icon={ReplayIcon} disabled={busy} onClick={again} />;
}

interface Provider extends RaRecord {
  last_success_at: string | null;
  last_failure_at: string | null;
  failure: FailureCode | null;
  failure_detail: string | null;
}

/** The results of the last sign-ins with a provider, the meaning of an error, and its solution. */
export function ProviderState() {
  const provider = useRecordContext<Provider>();
  if (!provider) return null;
  const { last_success_at: success, last_failure_at: failed, failure, failure_detail: detail } = provider;
  return (
    <Section title={translate('State')}>
      {!success && !failed && <MutedText>{translate('Nobody has signed in with it yet.')}</MutedText>}
      {success && (
        <MutedText>{translate('The last sign-in that succeeded: {when}.', { when: timeAgo(success) })}</MutedText>
      )}
      {failed && failure && (
        <Box sx={{ px: 2, pb: 2 }}>
          <p className={!success || failed > success ? 'small alarming' : 'small quiet'}>
            {translate('The last sign-in that failed: {when}.', { when: timeAgo(failed) })}{' '}
            {translate(failureMeanings[failure])}
          </p>
          <span className="mono caption quiet">{detail}</span>
        </Box>
      )}
    </Section>
  );
}

/** Opens a test sign-in at the provider. It changes nothing here, and shows the result. */
export function TestSignIn() {
  const provider = useRecordContext();
  if (!provider?.enabled) return null;
  const address = `${root}/login/with/${provider.id}/test`;
  return (
    <Button size="small" startIcon={<KeyIcon />} href={address} target="_blank" rel="noopener">
      {translate('Test sign-in')}
    </Button>
  );
}
