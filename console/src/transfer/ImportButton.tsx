import UploadIcon from '@mui/icons-material/FileUploadOutlined';
import { lazy, Suspense, useState } from 'react';
import { Button } from 'react-admin';
import { say } from '../text/say.ts';

const ImportDialog = lazy(() => import('./ImportDialog.tsx'));

export function ImportButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button label={say('Import')} onClick={() => setOpen(true)}>
        <UploadIcon />
      </Button>
      {isOpen && (
        <Suspense>
          <ImportDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
