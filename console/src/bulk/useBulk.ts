import { useRef, useState } from 'react';
import { gatehouse } from '../data/api.ts';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { secondsToWait } from './request-limit.ts';
import { type Operation, type Progress, type Report, type RowResult, runBulk } from './run-bulk.ts';

interface Work<Row> {
  rows: (signal: AbortSignal) => AsyncIterable<Row> | Iterable<Row>;
  operationOf: (row: Row) => Operation;
  onDone?: (row: Row, response: RowResult) => void;
}

/** Bulk work on the current resource: its progress while it runs, and its report afterwards. */
export function useBulk<Row>() {
  const { name } = useDescription();
  const [progress, setProgress] = useState<Progress>();
  const [report, setReport] = useState<Report<Row>>();
  const stop = useRef(new AbortController());

  async function start({ rows, operationOf, onDone }: Work<Row>): Promise<Report<Row>> {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setReport(undefined);
    setProgress({ succeeded: 0, failed: 0 });
    const send = (operations: Operation[]) => sendBatch(name, operations);
    const common = { operationOf, send, signal, secondsToWait, onProgress: setProgress, onDone };
    const ended = await runBulk({ rows: rows(signal), ...common }).catch(
      (error: Error): Report<Row> => ({
        succeeded: 0,
        failures: [{ row: { id: '' } as Row, message: error.message, error }],
        isStopped: true,
      }),
    );
    setReport(ended);
    return ended;
  }
  return { progress, report, start, stop: () => stop.current.abort() };
}

const restored = (rows: ReturnType<typeof gatehouse.resource>, id: string): Promise<RowResult> =>
  rows.restore(id).then(
    ({ data, etag }) => ({ status: 200, data, ...(etag && { etag }) }),
    (error: RowResult['error']) => ({ status: error?.status ?? 0, ...(error && { error }) }),
  );

/** Sends operations of one kind in one request. */
function sendBatch(resource: string, operations: readonly Operation[]): Promise<RowResult[]> {
  const rows = gatehouse.resource(resource);
  const all = <K extends Operation['operation']>(kind: K) =>
    operations.filter((operation): operation is Extract<Operation, { operation: K }> => operation.operation === kind);
  const ids = operations.flatMap((operation) => ('id' in operation ? [operation.id] : []));
  switch (operations[0]?.operation) {
    case 'create':
      return rows.createAll(all('create').map(({ data }) => data));
    case 'update':
      return rows.patchAll(all('update').map(({ operation: _, data, ...row }) => ({ ...data, ...row })));
    case 'restore':
      // The API has no batch of restorations. Only an undo restores rows.
      return Promise.all(ids.map((id) => restored(rows, id)));
    default:
      return rows.removeAll(ids);
  }
}
