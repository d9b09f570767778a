import { useRef, useState } from 'react';
import { useDescription } from '../data/described.tsx';
import { secondsToRoom } from './request-limit.ts';
import { type Answer, type Operation, type Progress, type Report, runBulk } from './run-bulk.ts';
import { sendBatch } from './send-batch.ts';

interface Work<Row> {
  rows: (signal: AbortSignal) => AsyncIterable<Row> | Iterable<Row>;
  operationOf: (row: Row) => Operation;
  onDone?: (row: Row, answer: Answer) => void;
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
    setProgress({ done: 0, failed: 0 });
    const send = (operations: Operation[]) => sendBatch(name, operations);
    const common = { operationOf, send, signal, secondsToRoom, onProgress: setProgress, onDone };
    const ended = await runBulk({ rows: rows(signal), ...common }).catch(
      (error: Error): Report<Row> => ({
        done: 0,
        failures: [{ row: { id: '' } as Row, message: error.message, error }],
        isStopped: true,
      }),
    );
    setReport(ended);
    return ended;
  }
  return { progress, report, start, stop: () => stop.current.abort() };
}
