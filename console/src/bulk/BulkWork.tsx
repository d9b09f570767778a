import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  LinearProgress,
  List,
  ListItem,
  ListItemText,
  Typography,
} from '@mui/material';
import { useEffect, useRef, useState } from 'react';
import { useDescription } from '../data/described.tsx';
import { counted, rowName } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { howFar } from './how-far.ts';
import type { Operation } from './packed.ts';
import { secondsToRoom } from './request-limit.ts';
import { type Progress, type Report, runBulk } from './run-bulk.ts';
import { type Row, rowsOf, type Selection } from './selected-rows.ts';
import { sendBatch } from './send-batch.ts';

interface Props {
  /** "Deleting 25 cars" while it lasts, "25 cars deleted" afterwards. */
  doing: string;
  done: (what: string) => string;
  selection: Selection;
  total: number;
  operationOf: (row: Row) => Operation;
  onClose: () => void;
}

const shownFailures = 100;

/** Work on many rows: how far it is, a way to stop it, and what failed in the end. */
export function BulkWork({ doing, done, selection, total, operationOf, onClose }: Props) {
  const description = useDescription();
  const [progress, setProgress] = useState<Progress>({ done: 0, failed: 0, waits: undefined });
  const [report, setReport] = useState<Report<Row>>();
  const stop = useRef(new AbortController());
  const started = useRef(false);

  useEffect(() => {
    if (started.current) return;
    started.current = true;
    const { signal } = stop.current;
    const rows = rowsOf(description.name, selection, signal);
    const send = (operations: Operation[]) => sendBatch(description.name, operations);
    runBulk({ rows, operationOf, send, signal, room: secondsToRoom, onProgress: setProgress }).then(
      setReport,
      (error: Error) =>
        setReport({ done: 0, failures: [{ row: { id: '' }, message: error.message }], isStopped: true }),
    );
  }, [description, selection, operationOf]);

  const handled = progress.done + progress.failed;
  return (
    <Dialog open fullWidth maxWidth="sm" aria-labelledby="bulk-title" onClose={() => report && onClose()}>
      <DialogTitle id="bulk-title">{report ? done(counted(report.done, description)) : doing}</DialogTitle>
      <DialogContent>
        {!report && (
          <>
            <LinearProgress
              variant="determinate"
              value={total === 0 ? 100 : Math.min(100, (handled / total) * 100)}
              aria-label={doing}
            />
            <Typography sx={{ mt: 1, color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
              {howFar(progress, total)}
            </Typography>
          </>
        )}
        {report?.isStopped && <Alert severity="warning">{say('Stopped before the end. The rest is as it was.')}</Alert>}
        {report && report.failures.length > 0 && (
          <>
            <Typography sx={{ mt: 1 }}>
              {say('{what} failed', { what: counted(report.failures.length, description) })}
            </Typography>
            <List dense sx={{ maxHeight: 300, overflow: 'auto' }} aria-label={say('What failed')}>
              {report.failures.slice(0, shownFailures).map(({ row, message }) => (
                <ListItem key={row.id} disableGutters>
                  <ListItemText primary={row.id && rowName(description, row)} secondary={message} />
                </ListItem>
              ))}
            </List>
            {report.failures.length > shownFailures &&
              say('and {count, number} more.', { count: report.failures.length - shownFailures })}
          </>
        )}
        {report && report.failures.length === 0 && !report.isStopped && (
          <Typography sx={{ color: 'text.secondary' }}>{say('Nothing failed.')}</Typography>
        )}
      </DialogContent>
      <DialogActions>
        {report ? (
          <Button key="close" variant="contained" autoFocus onClick={onClose}>
            {say('Close')}
          </Button>
        ) : (
          <Button key="stop" onClick={() => stop.current.abort()}>
            {say('Stop')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
