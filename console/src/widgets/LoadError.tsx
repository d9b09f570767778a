import CloudOffIcon from '@mui/icons-material/CloudOffOutlined';
import { Box, Button } from '@mui/material';
import type { ReactNode } from 'react';
import { useEditContext, useListContext, useShowContext } from 'react-admin';
import { GatehouseError } from '../../../client/errors.ts';
import { reasonOf } from '../../../src/platform/errors.ts';
import { translate } from '../text/translate.ts';

/** Reports that data could not be loaded: the reason, and a button to try again. */
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

interface LoadedProps extends Partial<Pick<ReturnType<typeof useListContext>, 'error' | 'refetch'>> {
  data: unknown;
  children: ReactNode;
}

/** Data, and above it the error of the last read. Data from an earlier read stays, with its open dialogs, unless it is gone or forbidden. */
function Loaded({ error, refetch, data, children }: LoadedProps) {
  const isHidden = error && (data === undefined || (error instanceof GatehouseError && hiding.has(error.status)));
  return (
    <>
      <LoadError {...{ error, refetch }} />
      {!isHidden && children}
    </>
  );
}

const hiding = new Set([403, 404]);

/** The rows of the list around it. */
export const LoadedList = ({ children }: { children: ReactNode }) => {
  const { data, error, refetch } = useListContext();
  return <Loaded {...{ data, error, refetch, children }} />;
};

/** The page of the row around it. */
export const LoadedRow = ({ children }: { children: ReactNode }) => {
  const { record, error, refetch } = useShowContext();
  return <Loaded {...{ data: record, error, refetch, children }} />;
};

/** The error of the form around it. */
export const EditError = () => <LoadError {...useEditContext()} />;
