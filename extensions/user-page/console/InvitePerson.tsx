import { email, required, TextInput, useNotify, useRedirect } from 'react-admin';
import { gatehouse } from '../../../console/src/data/api.ts';
import { throwFormError } from '../../../console/src/data/form-error.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { FormDialog } from '../../../console/src/widgets/FormDialog.tsx';
import { RoleChoice } from './RolesButton.tsx';

/** Invites a person by email. The person chooses a password on the page that the email links to. */
export default function InvitePerson({ onClose }: { onClose: () => void }) {
  const notify = useNotify();
  const redirect = useRedirect();

  async function invite({ email, name, roles }: Record<string, unknown>) {
    const body = { email, roles: roles ?? [], ...(name ? { name } : {}) };
    const invitation = await gatehouse
      .call<{ data: { id: string } }>({ method: 'POST', path: '/v1/invitations', body })
      .catch(throwFormError);
    notify(translate('An invitation to {email} is on its way.', { email }), { type: 'success' });
    redirect('show', 'users', invitation.body.data.id);
  }

  return (
    <FormDialog
      title={translate('Invite a person')}
      text={translate('They get an email with a link to choose a password. It works for three days.')}
      confirm={translate('Send invitation')}
      maxWidth="xs"
      onClose={onClose}
      onSubmit={invite}
      form={{ record: {}, sanitizeEmptyValues: true, noValidate: true }}
    >
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
