import { Button, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle } from '@mui/material';
import { type ReactNode, useId, useState } from 'react';
import { useNotify } from 'react-admin';
import { say } from '../text/say.ts';

interface Props {
  label: string;
  title: string;
  text: ReactNode;
  /** What is said when it is done. */
  done: string;
  run: () => Promise<void>;
  danger?: boolean;
  /** Whether it is asked how it is called on the button, or by another word. */
  confirm?: string;
}

/** A button that says what it does before it does it. */
export function AskedButton({ label, title, text, done, run, danger = false, confirm = label }: Props) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const notify = useNotify();
  const id = useId();

  async function go() {
    setBusy(true);
    try {
      await run();
      notify(done, { type: 'success' });
      setAsking(false);
    } catch (error) {
      notify((error as Error).message, { type: 'error' });
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <Button
        variant="outlined"
        size="small"
        color={danger ? 'error' : 'primary'}
        onClick={() => setAsking(true)}
        sx={{ flexShrink: 0, whiteSpace: 'nowrap' }}
      >
        {label}
      </Button>
      <Dialog open={asking} onClose={() => setAsking(false)} aria-labelledby={id} maxWidth="sm" fullWidth>
        <DialogTitle id={id}>{title}</DialogTitle>
        <DialogContent>
          <DialogContentText component="div">{text}</DialogContentText>
        </DialogContent>
        <DialogActions>
          <Button onClick={() => setAsking(false)}>{say('Cancel')}</Button>
          <Button
            variant="contained"
            color={danger ? 'error' : 'primary'}
            loading={busy}
            onClick={() => void go()}
            autoFocus
          >
            {confirm}
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
