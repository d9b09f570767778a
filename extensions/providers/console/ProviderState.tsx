import KeyIcon from '@mui/icons-material/KeyOutlined';
import { Box, Button } from '@mui/material';
import { type RaRecord, useRecordContext } from 'react-admin';
import { root } from '../../../console/src/data/api.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { timeAgo } from '../../../console/src/text/value-text.ts';
import { MutedText, Section } from '../../../console/src/widgets/Section.tsx';
import { type FailureCode, failureMeanings } from '../client/failure-meanings.ts';

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
          <p className={!success || failed > success ? 'small alarming' : 'small quiet'}>
            {translate('The last sign-in that failed: {when}.', { when: timeAgo(failed) })}{' '}
            {translate(failureMeanings[failure])}
          </p>
          <span className="mono caption quiet">{detail}</span>
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
