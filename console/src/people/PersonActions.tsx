import { Box } from '@mui/material';
import { useDataProvider, useRecordContext } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { throwFormError } from '../data/form-error.ts';
import { translate } from '../text/translate.ts';
import { ConfirmButton } from '../widgets/ConfirmButton.tsx';
import { nameOf, type Person, useLockout } from './person.ts';
import { RolesButton } from './RolesButton.tsx';

/** The actions on a person. Each one explains its effect first. */
export function PersonActions() {
  const person = useRecordContext<Person>();
  const lockout = useLockout(person?.id);
  const dataProvider = useDataProvider();
  if (!person) return null;
  const { id, email, disabled, email_confirmed } = person;
  const who = nameOf(person);

  const act =
    (action: string, method: 'POST' | 'DELETE' = 'POST') =>
    () =>
      gatehouse.resource('users').act(id, action, {}, { method }).catch(throwFormError);
  const setDisabled = (value: boolean) => () =>
    dataProvider.update('users', { id, data: { disabled: value }, previousData: { id, disabled } });

  return (
    <Box role="group" aria-label={translate('Actions')} sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {lockout && (
        <ConfirmButton
          label={translate('Unlock')}
          title={translate('Unlock {who}?', { who })}
          text={translate('The failed sign-ins are cleared. The person can try again at once.')}
          successMessage={translate('{who} may sign in again.', { who })}
          run={act('lockouts', 'DELETE')}
        />
      )}
      {email !== null && !email_confirmed && !disabled && (
        <ConfirmButton
          label={translate('Confirm email')}
          title={translate('Confirm {email}?', { email })}
          text={translate('This marks the address as confirmed, without the link in the email.')}
          successMessage={translate('The email address is confirmed.')}
          run={act('email-confirmations')}
        />
      )}
      {email !== null && !disabled && (
        <ConfirmButton
          label={translate('Send reset email')}
          title={translate('Send an email to {email}?', { email })}
          text={translate(
            'The email contains a link to choose a new password. The link works once, for one hour. The current password works until then.',
          )}
          successMessage={translate('An email to {email} is on its way.', { email })}
          run={act('password-resets')}
        />
      )}
      <ConfirmButton
        act="sign-out"
        label={translate('Sign out everywhere')}
        title={translate('Sign {who} out everywhere?', { who })}
        text={translate(
          'Every browser and application must sign in again. Personal access tokens and clients keep working.',
        )}
        successMessage={translate('{who} is signed out everywhere.', { who })}
        run={act('sessions', 'DELETE')}
      />
      <RolesButton />
      {disabled ? (
        <ConfirmButton
          label={translate('Enable')}
          title={translate('Enable {who}?', { who })}
          text={translate('The person can sign in again, and personal access tokens and clients work again.')}
          successMessage={translate('{who} is enabled.', { who })}
          run={setDisabled(false)}
        />
      ) : (
        <ConfirmButton
          act="disable"
          label={translate('Disable')}
          title={translate('Disable {who}?', { who })}
          text={translate(
            'The person can no longer sign in, and all tokens and applications stop working. Sessions end for good; data stays.',
          )}
          successMessage={translate('{who} is disabled.', { who })}
          run={setDisabled(true)}
          danger
        />
      )}
    </Box>
  );
}
