import CloudOffIcon from '@mui/icons-material/CloudOffOutlined';
import { Box, Button } from '@mui/material';
import { useEditContext, useListContext, useShowContext } from 'react-admin';
import { GatehouseError } from '../../../client/errors.ts';
import { reasonOf } from '../../../src/platform/errors.ts';
import { translate } from '../text/translate.ts';

/** Shown instead of data that could not be loaded: the reason, and a button to try again. */
function LoadError({ error, refetch }: { error?: unknown; refetch?: () => unknown }) {
  if (!error) return null;
  const { title, text } = describeLoadError(error);
  return (
    <Box role="alert" sx={{ display: 'grid', justifyItems: 'center', gap: 1, p: 4, textAlign: 'center' }}>
      <CloudOffIcon sx={{ fontSize: 40, color: 'text.secondary' }} />
      <h2 className="heading">{title}</h2>
      <p className="quiet">{text}</p>
      <Button variant="contained" onClick={() => void refetch?.()} sx={{ mt: 1 }}>
        {translate('Retry')}
      </Button>
    </Box>
  );
}

function describeLoadError(error: unknown): { title: string; text: string } {
  const { status = 0, message = '' } = error instanceof GatehouseError ? error : {};
  if (status === 404)
    return { title: translate('This is gone'), text: translate('It was deleted, or you don’t have access to it.') };
  if (status === 403) return { title: translate('You may not see this'), text: message };
  if (status === 429)
    return { title: translate('Too many requests'), text: translate('Too many requests. Try again in a moment.') };
  if (status === 0 || status === 502 || status === 504) {
    return {
      title: translate('The service is not answering'),
      text: translate('Your work here is not lost. Try again in a moment.'),
    };
  }
  if (status >= 500) return { title: translate('The service cannot answer now'), text: message };
  return { title: translate('This could not be read'), text: message || reasonOf(error) };
}

/** The error of the list, row or form around it. */
export const ListError = () => <LoadError {...useListContext()} />;
export const ShowError = () => <LoadError {...useShowContext()} />;
export const EditError = () => <LoadError {...useEditContext()} />;
