import CodeIcon from '@mui/icons-material/CodeOutlined';
import { lazy, Suspense, useState } from 'react';
import { Button } from 'react-admin';
import { say } from '../text/say.ts';

const CodeDrawer = lazy(() => import('./CodeDrawer.tsx'));

/** Opens the drawer on the page of a row. */
export function CodeButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button label={say('API')} onClick={() => setOpen(true)}>
        <CodeIcon />
      </Button>
      {open && (
        <Suspense>
          <CodeDrawer onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
