import { Box } from '@mui/material';
import { useQueryClient } from '@tanstack/react-query';
import { useDataProvider, useRecordContext, useRefresh } from 'react-admin';
import { say } from '../text/say.ts';
import { AskedButton } from '../widgets/AskedButton.tsx';
import { nameOf, type Person, useLockout } from './person.ts';
import { RolesButton } from './RolesButton.tsx';

/** The actions on a person. Each one explains its effect first. */
export function PersonActions() {
  const person = useRecordContext<Person>();
  const lockout = useLockout(person?.id);
  const dataProvider = useDataProvider();
  const refresh = useRefresh();
  const queries = useQueryClient();
  if (!person) return null;
  const { id, email, disabled, email_confirmed } = person;
  const who = nameOf(person);

  const afterwards = async () => {
    await queries.invalidateQueries({ queryKey: ['users', 'lockout', id] });
    refresh();
  };
  const act = (action: string, method?: 'DELETE') => async () => {
    await dataProvider.act('users', { id, action, method });
    await afterwards();
  };
  const setDisabled = (value: boolean) => async () => {
    await dataProvider.update('users', { id, data: { disabled: value }, previousData: { id, disabled } });
    await afterwards();
  };

  return (
    <Box role="group" aria-label={say('Actions')} sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {lockout && (
        <AskedButton
          label={say('Unlock')}
          title={say('Unlock {who}?', { who })}
          text={say('The failed sign-ins are cleared. The person can try again at once.')}
          done={say('{who} may sign in again.', { who })}
          run={act('lockouts', 'DELETE')}
        />
      )}
      {email !== null && !email_confirmed && !disabled && (
        <AskedButton
          label={say('Confirm email')}
          title={say('Confirm {email}?', { email })}
          text={say('This marks the address as confirmed, without the link in the email.')}
          done={say('The email address is confirmed.')}
          run={act('email-confirmations')}
        />
      )}
      {email !== null && !disabled && (
        <AskedButton
          label={say('Send reset email')}
          title={say('Send an email to {email}?', { email })}
          text={say(
            'The email contains a link to choose a new password. The link works once, for one hour. The current password works until then.',
          )}
          done={say('An email to {email} is on its way.', { email })}
          run={act('password-resets')}
        />
      )}
      <AskedButton
        act="sign-out"
        label={say('Sign out everywhere')}
        title={say('Sign {who} out everywhere?', { who })}
        text={say('Every browser and application must sign in again. Personal access tokens and clients keep working.')}
        done={say('{who} is signed out everywhere.', { who })}
        run={act('sessions', 'DELETE')}
      />
      <RolesButton />
      {disabled ? (
        <AskedButton
          label={say('Enable')}
          title={say('Enable {who}?', { who })}
          text={say('The person can sign in again, and personal access tokens and clients work again.')}
          done={say('{who} is enabled.', { who })}
          run={setDisabled(false)}
        />
      ) : (
        <AskedButton
          act="disable"
          label={say('Disable')}
          title={say('Disable {who}?', { who })}
          text={say(
            'The person can no longer sign in, and all tokens and applications stop working. Sessions end for good; data stays.',
          )}
          done={say('{who} is disabled.', { who })}
          run={setDisabled(true)}
          danger
        />
      )}
    </Box>
  );
}
