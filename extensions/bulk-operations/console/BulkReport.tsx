import { Alert, LinearProgress, List, ListItem, ListItemText } from '@mui/material';
import { useRef, useState } from 'react';
import { gatehouse } from '../../../console/src/data/api.ts';
import { useDescription } from '../../../console/src/data/DescriptionsProvider.tsx';
import { secondsToWait } from '../../../console/src/data/request-limit.ts';
import { countText } from '../../../console/src/text/presentation.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { type Operation, type Progress, type Report, type RowResult, runBulk, type Work } from './run-bulk.ts';

interface ProgressProps extends Progress {
  label: string;
  total: number | undefined;
}

/** The progress of the work: "40 of 100 · 2 failed · The service asks to wait 3 s." */
export function BulkProgress({ label, succeeded, failed, waits, total }: ProgressProps) {
  const count = succeeded + failed;
  const parts = [
    total === undefined
      ? translate('{count, number} of …', { count })
      : translate('{count, number} of {all, number}', { count, all: total }),
    failed > 0 && translate('{count, number} failed', { count: failed }),
    waits !== undefined && translate('The service asks to wait {seconds, number} s.', { seconds: waits }),
  ];
  const value = total === undefined ? 0 : Math.min(100, (count / Math.max(1, total)) * 100);
  return (
    <>
      <LinearProgress variant="determinate" value={value} aria-label={label} />
      <p role="status" className="quiet">
        {parts.filter(Boolean).join(' · ')}
      </p>
    </>
  );
}

const shownFailures = 100;

/** The failures, row by row. */
export function BulkReport<Row>({ report, nameOf = () => '' }: { report: Report<Row>; nameOf?: (row: Row) => string }) {
  const description = useDescription();
  const { failures, isStopped } = report;
  if (failures.length === 0 && !isStopped) {
    return <p className="quiet">{translate('Nothing failed.')}</p>;
  }
  const title = translate('{what} failed', { what: countText(failures.length, description) });
  return (
    <>
      {isStopped && <Alert severity="warning">{translate('Stopped early. The remaining rows are unchanged.')}</Alert>}
      {failures.length > 0 && <p>{title}</p>}
      <List dense aria-label={title} tabIndex={0} sx={{ maxHeight: 300, overflow: 'auto' }}>
        {failures.slice(0, shownFailures).map(({ row, message }) => (
          <ListItem key={`${nameOf(row)} ${message}`} disableGutters>
            <ListItemText primary={nameOf(row)} secondary={message} />
          </ListItem>
        ))}
      </List>
      {failures.length > shownFailures &&
        translate('and {count, number} more.', { count: failures.length - shownFailures })}
    </>
  );
}

/** Bulk work on the current resource, which can be undone. `progress` is set while the work or the undo runs, the reports afterwards. */
export function useBulk<Row>() {
  const { name } = useDescription();
  const [progress, setProgress] = useState<Progress>();
  const [report, setReport] = useState<Report<Row>>();
  const [undoReport, setUndoReport] = useState<Report<Operation>>();
  const [undo, setUndo] = useState<Operation[]>([]);
  const stop = useRef(new AbortController());

  function run<Each>(workOf: (signal: AbortSignal) => Work<Each>): Promise<Report<Each>> {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setProgress({ succeeded: 0, failed: 0 });
    const send = (operations: Operation[]) => sendBatch(name, operations);
    return runBulk({ ...workOf(signal), send, signal, secondsToWait, onProgress: setProgress }).catch(
      (error: Error): Report<Each> => ({
        succeeded: 0,
        failures: [{ row: { id: '' } as Each, message: error.message, error }],
        undo: [],
        isStopped: true,
      }),
    );
  }

  async function start(workOf: (signal: AbortSignal) => Work<Row>) {
    setReport(undefined);
    const ended = await run(workOf);
    setReport(ended);
    setProgress(undefined);
    setUndo((before) => [...before, ...ended.undo]);
    return ended;
  }

  async function undoAll() {
    const ended = await run(() => ({ rows: undo, operationOf: (operation: Operation) => operation }));
    setUndoReport(ended);
    setProgress(undefined);
    setUndo([]);
    return ended;
  }

  const isUndoing = progress !== undefined && report !== undefined;
  const undoing = { isUndoing, undoReport, undoCount: undo.length, undoAll };
  return { progress, report, start, stop: () => stop.current.abort(), ...undoing };
}

/** Sends operations of one kind in one request. */
function sendBatch(resource: string, operations: readonly Operation[]): Promise<RowResult[]> {
  const rows = gatehouse.resource(resource);
  const ids = operations.map(({ id = '' }) => id);
  switch (operations[0]?.operation) {
    case 'create':
      return rows.createAll(operations.map(({ data = {} }) => data));
    case 'update':
      return rows.patchAll(operations.map(({ operation: _, id = '', data, ...match }) => ({ ...data, id, ...match })));
    case 'restore':
      // The API has no batch of restorations. Only an undo restores rows.
      return Promise.all(ids.map((id) => restored(rows, id)));
    default:
      return rows.deleteAll(ids);
  }
}

const restored = (rows: ReturnType<typeof gatehouse.resource>, id: string): Promise<RowResult> =>
  rows.restore(id).then(
    ({ data, etag }) => ({ status: 200, data, ...(etag && { etag }) }),
    (error: RowResult['error']) => ({ status: error?.status ?? 0, ...(error && { error }) }),
  );
