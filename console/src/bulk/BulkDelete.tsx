import { Button, Dialog, DialogActions, DialogContent, DialogTitle } from '@mui/material';
import { useCallback, useState } from 'react';
import { useDescription } from '../data/described.tsx';
import { counted, removalOf, removeWarningOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { sayRemoval } from '../text/words.ts';
import { BulkWork } from './BulkWork.tsx';
import type { Operation } from './packed.ts';
import type { Row, Selection } from './selected-rows.ts';

interface Props {
  selection: Selection;
  total: number;
  onClose: () => void;
}

/** Removes all that is selected, after it was said how many that are. */
export function BulkDelete({ selection, total, onClose }: Props) {
  const description = useDescription();
  const [isSure, setSure] = useState(false);
  const removal = removalOf(description.name);
  const what = counted(total, description);
  const remove = useCallback(({ id }: Row): Operation => ({ operation: 'delete', id }), []);
  if (isSure) {
    return (
      <BulkWork
        doing={sayRemoval(removal, 'doing', { what })}
        done={(count) => sayRemoval(removal, 'done', { what: count })}
        operationOf={remove}
        {...{ selection, total, onClose }}
      />
    );
  }
  return (
    <Dialog open onClose={onClose} aria-labelledby="bulk-delete">
      <DialogTitle id="bulk-delete">{sayRemoval(removal, 'ask', { what })}</DialogTitle>
      <DialogContent>{removeWarningOf(description.name)}</DialogContent>
      <DialogActions>
        <Button color="inherit" onClick={onClose}>
          {say('Cancel')}
        </Button>
        <Button variant="contained" color="error" autoFocus onClick={() => setSure(true)}>
          {sayRemoval(removal, 'all', { what })}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
