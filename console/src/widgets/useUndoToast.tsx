import { Alert, Button } from '@mui/material';
import { useCloseNotification, useNotify } from 'react-admin';
import { translate } from '../text/translate.ts';
import { useTask } from './useTask.ts';

/** Reports a change, with an undo button. */
export function useUndoToast() {
  const notify = useNotify();
  return (message: string, undo: () => Promise<unknown>) =>
    notify(<UndoToast message={message} undo={undo} />, { type: 'success', autoHideDuration: 15_000 });
}

function UndoToast({ message, undo }: { message: string; undo: () => Promise<unknown> }) {
  const { busy, run } = useTask();
  const close = useCloseNotification();
  const undoAll = async () => {
    if (await run(undo, translate('The change is undone.'))) close();
  };
  const action = (
    <Button color="inherit" size="small" loading={busy} onClick={() => void undoAll()}>
      {translate('Undo')}
    </Button>
  );
  return (
    <Alert severity="success" variant="filled" action={action}>
      {message}
    </Alert>
  );
}
