import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import { Dialog, DialogActions, DialogContent, DialogTitle, IconButton, Button as MuiButton } from '@mui/material';
import { useId, useState } from 'react';
import { Button, useDelete, useNotify, useRecordContext, useRedirect, useRefresh } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import { removalOf, removeWarningOf, rowName, singularOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { sayRemoval, within } from '../text/words.ts';

/** Removes the row that is shown, after asking. */
export function RemoveButton() {
  const { name, operations } = useDescription();
  const row = useRecordContext();
  const redirect = useRedirect();
  const [asking, setAsking] = useState(false);
  if (!row || !operations.has('delete')) return null;
  return (
    <>
      <Button
        color="error"
        label={sayRemoval(removalOf(name), 'word')}
        onClick={() => setAsking(true)}
        // In a form, a button without a type would send it.
        type="button"
      >
        <DeleteIcon />
      </Button>
      {asking && <AskRemoval onClose={() => setAsking(false)} onRemoved={() => redirect('list', name)} />}
    </>
  );
}

/** Removes one row of a list in its place. */
export function RemoveRow() {
  const description = useDescription();
  const row = useRecordContext();
  const refresh = useRefresh();
  const [asking, setAsking] = useState(false);
  if (!row || !description.operations.has('delete')) return null;
  const label = sayRemoval(removalOf(description.name), 'all', { what: rowName(description, row) });
  return (
    <>
      <IconButton size="small" aria-label={label} title={label} onClick={() => setAsking(true)}>
        <DeleteIcon fontSize="small" />
      </IconButton>
      {asking && <AskRemoval onClose={() => setAsking(false)} onRemoved={refresh} />}
    </>
  );
}

function AskRemoval({ onClose, onRemoved }: { onClose: () => void; onRemoved: () => void }) {
  const description = useDescription();
  const row = useRecordContext();
  const [removeOne, { isPending }] = useDelete();
  const notify = useNotify();
  const id = useId();
  if (!row) return null;
  const removal = removalOf(description.name);
  const thing = singularOf(description);

  async function remove() {
    try {
      const which = { id: row?.id as string, previousData: row };
      await removeOne(description.name, which, { mutationMode: 'pessimistic', returnPromise: true });
      notify(sayRemoval(removal, 'done', { what: thing }), { type: 'success' });
      onClose();
      onRemoved();
    } catch (error) {
      notify((error as Error).message, { type: 'error' });
    }
  }

  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby={id}>
      <DialogTitle id={id} sx={{ overflowWrap: 'anywhere' }}>
        {sayRemoval(removal, 'one', { thing: within(thing), row: rowName(description, row) })}
      </DialogTitle>
      <DialogContent>{removeWarningOf(description.name)}</DialogContent>
      <DialogActions>
        <MuiButton color="inherit" onClick={onClose}>
          {say('Cancel')}
        </MuiButton>
        <MuiButton variant="contained" color="error" autoFocus loading={isPending} onClick={() => void remove()}>
          {sayRemoval(removal, 'all', { what: within(thing) })}
        </MuiButton>
      </DialogActions>
    </Dialog>
  );
}
