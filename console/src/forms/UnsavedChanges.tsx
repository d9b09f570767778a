import { Button, Dialog, DialogActions, DialogContent, DialogTitle } from '@mui/material';
import { type RefObject, useEffect } from 'react';
import { useBlocker } from 'react-admin';
import { useFormState } from 'react-hook-form';
import { say } from '../text/say.ts';

/** In a form: whoever leaves it with changes that were not saved is asked first. `saved` is set as soon as they are. */
export function UnsavedChanges({ saved }: { saved: RefObject<boolean> }) {
  const { dirtyFields } = useFormState();
  const isUnsaved = Object.keys(dirtyFields).length > 0;
  const { state, proceed, reset } = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isUnsaved && !saved.current && currentLocation.pathname !== nextLocation.pathname,
  );

  // The browser asks in its own words where the tab is closed or another page is opened.
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isUnsaved]);

  if (state !== 'blocked') return null;
  return (
    <Dialog open onClose={reset} aria-labelledby="unsaved-title">
      <DialogTitle id="unsaved-title">{say('Leave without saving?')}</DialogTitle>
      <DialogContent>{say('What you changed here is not saved yet.')}</DialogContent>
      <DialogActions>
        <Button color="error" onClick={proceed}>
          {say('Discard changes')}
        </Button>
        <Button variant="contained" autoFocus onClick={reset}>
          {say('Keep editing')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
