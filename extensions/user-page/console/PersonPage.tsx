import { Box, Card, Chip, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { useDataProvider, useRecordContext } from 'react-admin';
import { gatehouse } from '../../../console/src/data/api.ts';
import { lockedText, nameOf, type Person, PersonName, useLockout } from '../../../console/src/rows/PersonColumns.tsx';
import { locale, translate } from '../../../console/src/text/translate.ts';
import { timeAgo } from '../../../console/src/text/value-text.ts';
import { CopyButton } from '../../../console/src/widgets/Code.tsx';
import { FormButton } from '../../../console/src/widgets/FormDialog.tsx';
import { PersonSections } from './PersonSections.tsx';
import { RolesButton } from './RolesButton.tsx';

/** One person: their profile, history, sessions, tokens and clients, and the actions on them. */
export function PersonPage({ history }: { history: ReactNode }) {
  return (
    <>
      <Head />
      <Box
        sx={{ display: 'grid', gap: 2, mt: 2, alignItems: 'start', gridTemplateColumns: { xs: '1fr', lg: '1fr 1fr' } }}
      >
        {history}
        <Box sx={{ display: 'grid', gap: 2 }}>
          <PersonSections />
        </Box>
      </Box>
    </>
  );
}

function Head() {
  const person = useRecordContext<Person>();
  const lockout = useLockout(person?.id);
  if (!person) return null;
  const { email, username, phone, roles, disabled, email_confirmed } = person;
  return (
    <Card sx={{ p: { xs: 2, md: 3 }, display: 'grid', gap: 2 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
        <Typography variant="h5" component="h2" sx={{ overflowWrap: 'anywhere', mr: 1 }}>
          <PersonName person={person} />
        </Typography>
        {roles.map((role) => (
          <Chip key={role} label={role} size="small" variant="outlined" />
        ))}
        {disabled && <Chip label={translate('Disabled')} size="small" color="error" variant="outlined" />}
        {lockout && <Chip label={lockedText(lockout)} size="small" color="warning" variant="outlined" />}
        {email !== null && !email_confirmed && (
          <Chip label={translate('Email not confirmed')} size="small" color="warning" variant="outlined" />
        )}
      </Box>
      <Box component="dl" sx={{ m: 0, display: 'flex', flexWrap: 'wrap', columnGap: 4, rowGap: 1 }}>
        <Detail term={translate('Email')} value={email} />
        <Detail term={translate('Username')} value={username} />
        <Detail term={translate('Phone')} value={phone} />
        <Detail
          term={translate('Created')}
          value={timeAgo(person.created_at)}
          title={new Date(person.created_at).toLocaleString(locale)}
        />
        <Detail term={translate('ID')} value={person.id} copied={translate('Copy id')} />
      </Box>
      <PersonActions person={person} isLocked={Boolean(lockout)} />
    </Card>
  );
}

interface DetailProps {
  term: string;
  value: string | null;
  title?: string;
  /** The label of the copy button. */
  copied?: string;
}

function Detail({ term, value, title, copied }: DetailProps) {
  if (value === null) return null;
  return (
    <Box>
      <dt className="caption quiet">{term}</dt>
      <dd className={copied ? 'small mono' : 'small'} title={title}>
        {value} {copied && <CopyButton text={value} label={copied} />}
      </dd>
    </Box>
  );
}

/** The actions on a person. Each one explains its effect first. */
function PersonActions({ person, isLocked }: { person: Person; isLocked: boolean }) {
  const dataProvider = useDataProvider();
  const { id, email, disabled, email_confirmed } = person;
  const who = nameOf(person);

  const act = (action: string, method: 'POST' | 'DELETE' = 'POST') =>
    gatehouse.resource('users').act(id, action, {}, { method });
  const setDisabled = (value: boolean) => () =>
    dataProvider.update('users', { id, data: { disabled: value }, previousData: { id, disabled } });

  return (
    <Box role="group" aria-label={translate('Actions')} sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {isLocked && (
        <FormButton
          label={translate('Unlock')}
          title={translate('Unlock {who}?', { who })}
          text={translate('The failed sign-ins are cleared. The person can try again at once.')}
          successMessage={translate('{who} may sign in again.', { who })}
          onSubmit={() => act('lockouts', 'DELETE')}
        />
      )}
      {email !== null && !email_confirmed && !disabled && (
        <FormButton
          label={translate('Confirm email')}
          title={translate('Confirm {email}?', { email })}
          text={translate('This marks the address as confirmed, without the link in the email.')}
          successMessage={translate('The email address is confirmed.')}
          onSubmit={() => act('email-confirmations')}
        />
      )}
      {email !== null && !disabled && (
        <FormButton
          label={translate('Send reset email')}
          title={translate('Send an email to {email}?', { email })}
          text={translate(
            'The email contains a link to choose a new password. The link works once, for one hour. The current password works until then.',
          )}
          successMessage={translate('An email to {email} is on its way.', { email })}
          onSubmit={() => act('password-resets')}
        />
      )}
      <FormButton
        act="sign-out"
        label={translate('Sign out everywhere')}
        title={translate('Sign {who} out everywhere?', { who })}
        text={translate(
          'Every browser and application must sign in again. Personal access tokens and clients keep working.',
        )}
        successMessage={translate('{who} is signed out everywhere.', { who })}
        onSubmit={() => act('sessions', 'DELETE')}
      />
      <RolesButton />
      {disabled ? (
        <FormButton
          label={translate('Enable')}
          title={translate('Enable {who}?', { who })}
          text={translate('The person can sign in again, and personal access tokens and clients work again.')}
          successMessage={translate('{who} is enabled.', { who })}
          onSubmit={setDisabled(false)}
        />
      ) : (
        <FormButton
          act="disable"
          label={translate('Disable')}
          title={translate('Disable {who}?', { who })}
          text={translate(
            'The person can no longer sign in, and all tokens and applications stop working. Sessions end for good; data stays.',
          )}
          successMessage={translate('{who} is disabled.', { who })}
          onSubmit={setDisabled(true)}
          danger
        />
      )}
    </Box>
  );
}
