import { Box, Card, Chip, Typography } from '@mui/material';
import { useRecordContext } from 'react-admin';
import { Activity } from '../rows/Activity.tsx';
import { timeAgo } from '../text/time-ago.ts';
import { locale, translate } from '../text/translate.ts';
import { CopyButton } from '../widgets/Code.tsx';
import { PersonActions } from './PersonActions.tsx';
import { PersonName } from './PersonColumns.tsx';
import { PersonSections } from './PersonSections.tsx';
import { lockedText, type Person, useLockout } from './person.ts';

/** One person: their profile, activity, sessions, tokens and clients, and the actions on them. */
export function PersonPage() {
  return (
    <>
      <Head />
      <Box
        sx={{ display: 'grid', gap: 2, mt: 2, alignItems: 'start', gridTemplateColumns: { xs: '1fr', lg: '1fr 1fr' } }}
      >
        <Activity />
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
      <PersonActions />
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
      <Typography component="dt" variant="caption" color="textSecondary">
        {term}
      </Typography>
      <Typography
        component="dd"
        variant="body2"
        title={title}
        className={copied && 'mono'}
        sx={{ m: 0, overflowWrap: 'anywhere' }}
      >
        {value} {copied && <CopyButton text={value} label={copied} />}
      </Typography>
    </Box>
  );
}
