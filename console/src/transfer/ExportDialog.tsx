import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  LinearProgress,
  Typography,
} from '@mui/material';
import { useEffect, useRef, useState } from 'react';
import { useListContext } from 'react-admin';
import { howFar } from '../bulk/how-far.ts';
import { countOf } from '../bulk/selected-rows.ts';
import { useDescription } from '../data/described.tsx';
import { counted, labelOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { within } from '../text/words.ts';
import { exportRows, type Format, save } from './export-rows.ts';

/** Every row that the list finds, as a file. */
export default function ExportDialog({ onClose }: { onClose: () => void }) {
  const description = useDescription();
  const { name, fields } = description;
  const { filterValues, sort } = useListContext();
  const [total, setTotal] = useState<number>();
  const [rows, setRows] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const [isDone, setDone] = useState(false);
  const stop = useRef(new AbortController());
  const shown = fields.filter(({ writeOnly }) => !writeOnly).map((field) => field.name);

  useEffect(() => {
    countOf(name, filterValues).then(setTotal, (error: Error) => setProblem(error.message));
  }, [name, filterValues]);

  async function run(format: Format) {
    setRows(0);
    const { signal } = stop.current;
    try {
      const file = await exportRows({
        ...{ resource: name, fields: shown, filter: filterValues, sort, format, signal },
        onProgress: setRows,
      });
      save(file, `${name}.${format}`);
      setDone(true);
    } catch (error) {
      if (!signal.aborted) setProblem((error as Error).message);
    }
  }

  function close() {
    stop.current.abort();
    onClose();
  }

  return (
    <Dialog open fullWidth maxWidth="xs" onClose={close} aria-labelledby="export-title">
      <DialogTitle id="export-title">{say('Export {what}', { what: within(labelOf(description)) })}</DialogTitle>
      <DialogContent>
        {problem && <Alert severity="error">{problem}</Alert>}
        <Typography role="status" sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
          {rows === undefined
            ? say('{what} with this filter, in this order.', {
                what: total === undefined ? '…' : counted(total, description),
              })
            : howFar({ done: rows, failed: 0, waits: undefined }, total)}
          {isDone && ` · ${say('The file is saved.')}`}
        </Typography>
        {rows !== undefined && (
          <LinearProgress
            sx={{ mt: 1 }}
            variant="determinate"
            value={isDone ? 100 : total ? Math.min(100, (rows / total) * 100) : 0}
            aria-label={say('Export')}
          />
        )}
      </DialogContent>
      <DialogActions>
        <Button color="inherit" onClick={close}>
          {isDone ? say('Close') : say('Cancel')}
        </Button>
        {rows === undefined && (
          <>
            <Button onClick={() => void run('json')}>{say('JSON')}</Button>
            <Button variant="contained" autoFocus onClick={() => void run('csv')}>
              {say('CSV')}
            </Button>
          </>
        )}
      </DialogActions>
    </Dialog>
  );
}
