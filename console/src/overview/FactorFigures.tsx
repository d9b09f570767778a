import { Card, Typography } from '@mui/material';
import { locale, say } from '../text/say.ts';
import { useActivity } from './useOverview.ts';

/** How many people have a passkey, and how many an authenticator app. */
export function FactorFigures() {
  const { data } = useActivity();
  if (!data) return null;
  const { passkeys, authenticators } = data.factors;
  return (
    <>
      <Count label={say('People with a passkey')} count={passkeys} />
      <Count label={say('People with an authenticator app')} count={authenticators} />
    </>
  );
}

function Count({ label, count }: { label: string; count: number }) {
  return (
    <Card sx={{ p: 2 }}>
      <Typography color="textSecondary" variant="body2">
        {label}
      </Typography>
      <Typography variant="h5" component="p" sx={{ fontVariantNumeric: 'tabular-nums' }}>
        {count.toLocaleString(locale)}
      </Typography>
    </Card>
  );
}
