import CloudOffIcon from '@mui/icons-material/CloudOffOutlined';
import { Box, Button, Typography } from '@mui/material';
import { useEditContext, useListContext, useShowContext } from 'react-admin';
import { GatehouseError } from '../../../client/errors.ts';
import { reasonOf } from '../../../src/platform/errors.ts';
import { say } from '../text/say.ts';

/** Shown instead of data that could not be loaded: the reason, and a button to try again. */
export function LoadError({ error, retry }: { error: unknown; retry: () => void }) {
  const { title, text } = wordsFor(error);
  return (
    <Box role="alert" sx={{ display: 'grid', justifyItems: 'center', gap: 1, p: 4, textAlign: 'center' }}>
      <CloudOffIcon sx={{ fontSize: 40, color: 'text.secondary' }} />
      <Typography variant="h6" component="h2">
        {title}
      </Typography>
      <Typography sx={{ color: 'text.secondary' }}>{text}</Typography>
      <Button variant="contained" onClick={retry} sx={{ mt: 1 }}>
        {say('Retry')}
      </Button>
    </Box>
  );
}

function wordsFor(error: unknown): { title: string; text: string } {
  const { status = 0, message = '' } = error instanceof GatehouseError ? error : {};
  if (status === 404)
    return { title: say('This is gone'), text: say('It was deleted, or you don’t have access to it.') };
  if (status === 403) return { title: say('You may not see this'), text: message };
  if (status === 429)
    return { title: say('Too many requests'), text: say('Too many requests. Try again in a moment.') };
  if (status === 0 || status === 502 || status === 504) {
    return {
      title: say('The service is not answering'),
      text: say('Your work here is not lost. Try again in a moment.'),
    };
  }
  if (status >= 500) return { title: say('The service cannot answer now'), text: message };
  return { title: say('This could not be read'), text: message || reasonOf(error) };
}

/** The error of the list, row or form around it. */
const Failed = ({ error, refetch }: { error?: unknown; refetch?: () => unknown }) =>
  error ? <LoadError error={error} retry={() => void refetch?.()} /> : null;

export const ListError = () => <Failed {...useListContext()} />;
export const ShowError = () => <Failed {...useShowContext()} />;
export const EditError = () => <Failed {...useEditContext()} />;
