import { DialogContentText } from '@mui/material';
import { email, required, TextInput, useNotify, useRedirect } from 'react-admin';
import type { Call } from '../../../client/transport.ts';
import { reasonOf } from '../../../src/platform/errors.ts';
import { gatehouse } from '../data/api.ts';
import { FormError, forForm } from '../data/form-error.ts';
import { translate } from '../text/translate.ts';
import { FormDialog } from '../widgets/FormDialog.tsx';
import { RoleChoice } from './RolesButton.tsx';

/** Invites a person by email. The person chooses a password on the page that the email links to. */
export default function InvitePerson({ onClose }: { onClose: () => void }) {
  const notify = useNotify();
  const redirect = useRedirect();

  async function invite(values: Record<string, unknown>) {
    const { email, name, roles } = values;
    const body = { email, roles: roles ?? [], ...(name ? { name } : {}) };
    try {
      const call: Call = { method: 'POST', path: '/v1/invitations', body };
      const sent = await gatehouse.call<{ data: { id: string } }>(call).catch(forForm);
      notify(translate('An invitation to {email} is on its way.', { email }), { type: 'success' });
      onClose();
      redirect('show', 'users', sent.body.data.id);
    } catch (error) {
      if (error instanceof FormError && error.body.errors) return error.body.errors;
      notify(reasonOf(error), { type: 'error' });
    }
    return undefined;
  }

  return (
    <FormDialog
      title={translate('Invite a person')}
      confirm={translate('Send invitation')}
      maxWidth="xs"
      onClose={onClose}
      form={{ onSubmit: invite, record: {}, sanitizeEmptyValues: true, noValidate: true }}
    >
      <DialogContentText>
        {translate('They get an email with a link to choose a password. It works for three days.')}
      </DialogContentText>
      <TextInput
        source="email"
        label={translate('Email')}
        type="email"
        validate={[required(), email()]}
        helperText={false}
        autoFocus
      />
      <TextInput source="name" label={translate('Name')} helperText={false} />
      <RoleChoice />
    </FormDialog>
  );
}
