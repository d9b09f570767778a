import { Box, Card, Chip, Typography } from '@mui/material';
import { EditButton, Show, useRecordContext } from 'react-admin';
import { useDescriptions } from '../data/described.tsx';
import { LiveRow } from '../live/LiveRow.tsx';
import { Activity } from '../rows/Activity.tsx';
import { CodeButton } from '../rows/CodeButton.tsx';
import { RemoveButton } from '../rows/RemoveButtons.tsx';
import { ago } from '../text/ago.ts';
import { rowName } from '../text/presentation.ts';
import { locale, translate } from '../text/translate.ts';
import { CopyButton } from '../widgets/Code.tsx';
import { ShowError } from '../widgets/LoadError.tsx';
import { PageActions } from '../widgets/PageActions.tsx';
import { PersonActions } from './PersonActions.tsx';
import { PersonName } from './PersonColumns.tsx';
import { PersonSections } from './PersonSections.tsx';
import { lockedText, type Person, useLockout } from './person.ts';

/** One person: their profile, activity, sessions, tokens and clients, and the actions on them. */
export default function UserShow() {
  return (
    <Show
      title={<PersonTitle />}
      actions={
        <PageActions>
          <CodeButton />
          <EditButton />
          <RemoveButton />
        </PageActions>
      }
      component="div"
      error={<ShowError />}
      queryOptions={{ onError: () => undefined }}
    >
      <LiveRow />
      <Head />
      <Box
        sx={{ display: 'grid', gap: 2, mt: 2, alignItems: 'start', gridTemplateColumns: { xs: '1fr', lg: '1fr 1fr' } }}
      >
        <Activity />
        <Box sx={{ display: 'grid', gap: 2 }}>
          <PersonSections />
        </Box>
      </Box>
    </Show>
  );
}

function PersonTitle() {
  const users = useDescriptions().get('users');
  const person = useRecordContext<Person>();
  return <span>{person && users ? translate('User {who}', { who: rowName(users, person) }) : ''}</span>;
}

function Head() {
  const person = useRecordContext<Person>();
  const users = useDescriptions().get('users');
  const lockout = useLockout(person?.id);
  if (!person || !users) return null;
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
        {lockout && <Chip label={lockedText(lockout.until)} size="small" color="warning" variant="outlined" />}
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
          value={ago(person.created_at)}
          title={new Date(person.created_at).toLocaleString(locale)}
        />
        <Detail term={translate('ID')} value={person.id} mono copied={translate('Copy id')} />
      </Box>
      <PersonActions />
    </Card>
  );
}

interface DetailProps {
  term: string;
  value: string | null;
  title?: string;
  mono?: boolean;
  /** The label of the copy button. */
  copied?: string;
}

function Detail({ term, value, title, mono, copied }: DetailProps) {
  if (value === null) return null;
  return (
    <Box>
      <Typography component="dt" variant="caption" color="textSecondary">
        {term}
      </Typography>
      <Typography
        component="dd"
        variant="body2"
        title={title}
        className={mono ? 'mono' : undefined}
        sx={{ m: 0, overflowWrap: 'anywhere' }}
      >
        {value} {copied && <CopyButton text={value} label={copied} />}
      </Typography>
    </Box>
  );
}
