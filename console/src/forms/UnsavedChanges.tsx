import { Button } from '@mui/material';
import { type RefObject, useEffect } from 'react';
import { useBlocker } from 'react-admin';
import { useFormState } from 'react-hook-form';
import { say } from '../text/say.ts';
import { AskDialog } from '../widgets/AskDialog.tsx';

/** Asks before the person leaves a form with unsaved changes. `saved` is true after the form was saved. */
export function UnsavedChanges({ saved }: { saved: RefObject<boolean> }) {
  const { dirtyFields } = useFormState();
  const isUnsaved = Object.keys(dirtyFields).length > 0;
  const { state, proceed, reset } = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isUnsaved && !saved.current && currentLocation.pathname !== nextLocation.pathname,
  );

  // When the tab is closed or another page is opened, the browser shows its own question.
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isUnsaved]);

  if (state !== 'blocked') return null;
  return (
    <AskDialog
      title={say('Leave without saving?')}
      cancel={null}
      actions={
        <Button color="error" onClick={proceed}>
          {say('Discard changes')}
        </Button>
      }
      confirm={say('Keep editing')}
      onConfirm={reset}
      onClose={reset}
      maxWidth="xs"
    >
      {say('Your changes are not saved yet.')}
    </AskDialog>
  );
}
