import KeyIcon from '@mui/icons-material/KeyOutlined';
import { Box, Button, Typography } from '@mui/material';
import { type RaRecord, useRecordContext } from 'react-admin';
import { type FailureCode, failureMeanings } from '../../../src/identity/providers/failure-meanings.ts';
import { root } from '../data/api.ts';
import { timeAgo } from '../text/time-ago.ts';
import { translate } from '../text/translate.ts';
import { MutedText, Section } from '../widgets/Section.tsx';

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
          <Typography variant="body2" color={!success || failed > success ? 'error' : 'textSecondary'}>
            {translate('The last sign-in that failed: {when}.', { when: timeAgo(failed) })}{' '}
            {translate(failureMeanings[failure])}
          </Typography>
          <Typography variant="caption" color="textSecondary" className="mono">
            {detail}
          </Typography>
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
