import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import { lazy, Suspense, useState } from 'react';
import { Button } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import { say } from '../text/say.ts';
import { ImportButton } from './ImportButton.tsx';

const ExportDialog = lazy(() => import('./ExportDialog.tsx'));

/** Rows out into a file, and in from one. */
export function TransferButton() {
  const { operations } = useDescription();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button label={say('Export')} onClick={() => setOpen(true)}>
        <DownloadIcon />
      </Button>
      {operations.has('create') && <ImportButton />}
      {isOpen && (
        <Suspense>
          <ExportDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
