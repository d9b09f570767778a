import Box from '@mui/material/Box';
import { useQueryClient } from '@tanstack/react-query';
import { useDataProvider, useRecordContext, useRefresh } from 'react-admin';
import { AskedButton } from './AskedButton.tsx';
import { type Person, useLockout } from './person.ts';
import { RolesButton } from './RolesButton.tsx';

/** What can be done for a person, or about one. Each says first what it does. */
export function PersonActions() {
  const person = useRecordContext<Person>();
  const lockout = useLockout(person?.id);
  const dataProvider = useDataProvider();
  const refresh = useRefresh();
  const queries = useQueryClient();
  if (!person) return null;
  const { id, email, disabled, email_confirmed } = person;
  const who = person.name ?? email ?? person.username ?? person.phone ?? '';

  const afterwards = async () => {
    await queries.invalidateQueries({ queryKey: ['users', 'lockout', id] });
    refresh();
  };
  const act = (action: string) => async () => {
    await dataProvider.act('users', { id, action });
    await afterwards();
  };
  const setDisabled = (value: boolean) => async () => {
    await dataProvider.update('users', { id, data: { disabled: value }, previousData: { id, disabled } });
    await afterwards();
  };

  return (
    <Box role="group" aria-label="Actions" sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {lockout?.locked && (
        <AskedButton
          label="Unlock"
          title={`Unlock ${who}?`}
          text="Failed sign-ins are forgotten, and the person may try again at once."
          done={`${who} may sign in again.`}
          run={act('unlock')}
        />
      )}
      {email !== null && !email_confirmed && !disabled && (
        <AskedButton
          label="Confirm email"
          title={`Confirm ${email}?`}
          text="The address counts as confirmed on your word, without the link in the mail."
          done="The email address is confirmed."
          run={act('confirm-email')}
        />
      )}
      {email !== null && !disabled && (
        <AskedButton
          label="Send reset mail"
          title={`Send a mail to ${email}?`}
          text="It has a link to choose a new password, which works once, for an hour. The password of now stays until then."
          done={`A mail to ${email} is on its way.`}
          run={act('password-reset')}
        />
      )}
      <AskedButton
        label="Sign out everywhere"
        title={`Sign ${who} out everywhere?`}
        text="Every browser and application that is signed in has to sign in again. Personal access tokens and clients go on."
        done={`${who} is signed out everywhere.`}
        run={act('sign-out')}
      />
      <RolesButton />
      {disabled ? (
        <AskedButton
          label="Enable"
          title={`Enable ${who}?`}
          text="The person can sign in again, and personal access tokens and clients work again."
          done={`${who} is enabled.`}
          run={setDisabled(false)}
        />
      ) : (
        <AskedButton
          label="Disable"
          title={`Disable ${who}?`}
          text="The person is refused like a wrong password, with all tokens and applications. Logins end for good; data stays."
          done={`${who} is disabled.`}
          run={setDisabled(true)}
          danger
        />
      )}
    </Box>
  );
}
