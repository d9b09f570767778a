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
import { useRef, useState } from 'react';
import { useRefresh } from 'react-admin';
import { howFar } from '../bulk/how-far.ts';
import type { Operation } from '../bulk/packed.ts';
import { secondsToRoom } from '../bulk/request-limit.ts';
import { type Progress, type Report, runBulk } from '../bulk/run-bulk.ts';
import { sendBatch } from '../bulk/send-batch.ts';
import { useDescription } from '../data/described.tsx';
import { counted, labelOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { within } from '../text/words.ts';
import type { CheckedRow } from './check-row.ts';
import { csvLine } from './csv.ts';
import { save } from './export-rows.ts';
import { checkFile, type DryRun, goodRows, operationOf } from './import-rows.ts';
import { Problems } from './Problems.tsx';

/** Rows from a file: first looked through without changing anything, then written, and in the end told what failed. */
export default function ImportDialog({ onClose }: { onClose: () => void }) {
  const description = useDescription();
  const refresh = useRefresh();
  const [file, setFile] = useState<File>();
  const [checked, setChecked] = useState<DryRun>();
  const [progress, setProgress] = useState<Progress>();
  const [report, setReport] = useState<Report<CheckedRow>>();
  const [problem, setProblem] = useState<string>();
  const stop = useRef(new AbortController());
  const good = checked ? checked.created + checked.changed : 0;

  async function look(chosen: File | undefined) {
    setFile(chosen);
    setChecked(undefined);
    setProblem(undefined);
    if (!chosen) return;
    try {
      setChecked(await checkFile(description, chosen));
    } catch (error) {
      setProblem(say('This file cannot be read: {reason}', { reason: (error as Error).message }));
    }
  }

  async function write() {
    if (!file || !checked) return;
    const { signal } = stop.current;
    setProgress({ done: 0, failed: 0, waits: undefined });
    const rows = goodRows(description, file, checked);
    const send = (operations: Operation[]) => sendBatch(description.name, operations);
    setReport(await runBulk({ rows, operationOf, send, signal, room: secondsToRoom, onProgress: setProgress }));
    refresh();
  }

  function close() {
    stop.current.abort();
    onClose();
  }

  const failures = report?.failures.map(({ row, message }) => ({ number: row.number, message }));
  return (
    <Dialog
      open
      fullWidth
      maxWidth="sm"
      aria-labelledby="import-title"
      // What is under way is stopped by its button alone; a click beside the dialog was perhaps not meant.
      onClose={(_event, reason) => reason === 'escapeKeyDown' && (report || !progress) && close()}
    >
      <DialogTitle id="import-title">
        {report
          ? say('{what} imported', { what: counted(report.done, description) })
          : say('Import {what}', { what: within(labelOf(description)) })}
      </DialogTitle>
      <DialogContent>
        {!progress && (
          <>
            <Typography sx={{ color: 'text.secondary', mb: 1 }}>
              {say(
                'A CSV file whose first line names the fields, or JSON. A row with an id changes the row that has it. Nothing is written before you have seen what would be.',
              )}
            </Typography>
            <input
              type="file"
              aria-label={say('File')}
              accept=".csv,.json,.ndjson,.jsonl,text/csv,application/json"
              onChange={({ target }) => void look(target.files?.[0])}
            />
          </>
        )}
        {problem && <Alert severity="error">{problem}</Alert>}
        {checked && !progress && <Looked checked={checked} />}
        {progress && !report && (
          <>
            <LinearProgress
              variant="determinate"
              value={Math.min(100, ((progress.done + progress.failed) / Math.max(1, good)) * 100)}
              aria-label={say('Import')}
            />
            <Typography role="status" sx={{ mt: 1, color: 'text.secondary' }}>
              {howFar(progress, good)}
            </Typography>
          </>
        )}
        {report?.isStopped && <Alert severity="warning">{say('Stopped before the end.')}</Alert>}
        {failures && failures.length === 0 && <Typography>{say('Nothing failed.')}</Typography>}
        {failures && failures.length > 0 && (
          <>
            <Problems
              title={say('{what} failed', { what: counted(failures.length, description) })}
              problems={failures}
            />
            <Button
              onClick={() => save(new Blob([failedLines(report?.failures ?? [])]), `${description.name}-failed.csv`)}
            >
              {say('Save what failed')}
            </Button>
          </>
        )}
      </DialogContent>
      <DialogActions>
        <Button color="inherit" onClick={close}>
          {report ? say('Close') : say('Cancel')}
        </Button>
        {!progress && (
          <Button variant="contained" disabled={good === 0} onClick={() => void write()}>
            {good === 0 ? say('Import') : say('Import {what}', { what: counted(good, description) })}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

/** What a dry run has found. */
function Looked({ checked: { created, changed, wrong, problems, leftOut } }: { checked: DryRun }) {
  return (
    <>
      <Typography role="status" sx={{ mt: 2 }}>
        {say('{created, number} new, {changed, number} to be changed, {wrong, number} wrong.', {
          created,
          changed,
          wrong: wrong.size,
        })}
      </Typography>
      {leftOut.length > 0 && (
        <Alert severity="info">
          {say('Left out, for there is no such field: {fields}.', { fields: leftOut.join(', ') })}
        </Alert>
      )}
      {problems.length > 0 && <Problems title={say('These are not imported')} problems={problems} />}
    </>
  );
}

/** As a file that can be mended and imported again. */
function failedLines(failures: readonly { row: CheckedRow; message: string }[]): string {
  const names = [...new Set(failures.flatMap(({ row }) => Object.keys(row.values)))];
  const lines = failures.map(({ row, message }) =>
    csvLine([row.id, ...names.map((name) => row.values[name]), message]),
  );
  return csvLine(['id', ...names, 'error']) + lines.join('');
}
