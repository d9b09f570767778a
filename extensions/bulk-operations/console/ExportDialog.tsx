import { Alert, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useListContext } from 'react-admin';
import { useDescription } from '../../../console/src/data/DescriptionsProvider.tsx';
import { toListQuery } from '../../../console/src/data/to-list-query.ts';
import { countText, labelOf } from '../../../console/src/text/presentation.ts';
import { lowerCaseFirst, translate } from '../../../console/src/text/translate.ts';
import { ConfirmDialog } from '../../../console/src/widgets/ConfirmDialog.tsx';
import { reasonOf } from '../../../src/platform/errors.ts';
import { BulkProgress } from './BulkReport.tsx';
import { csvLine, saveFile } from './csv.ts';
import { countOf, eachRow } from './selected-rows.ts';

/** Saves every row that matches the list's filter as a file. */
export default function ExportDialog({ onClose }: { onClose: () => void }) {
  const description = useDescription();
  const { name, fields } = description;
  const { filterValues: filter, sort } = useListContext();
  const [rows, setRows] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const [isDone, setDone] = useState(false);
  const stop = useRef(new AbortController());
  const { data: total, error } = useQuery({ queryKey: [name, 'count', filter], queryFn: () => countOf(name, filter) });

  /** The browser keeps the parts of the file outside of this page's memory. */
  async function exportRows(isCsv: boolean, signal: AbortSignal): Promise<Blob> {
    const columns = fields.filter(({ writeOnly }) => !writeOnly).map((field) => field.name);
    const parts: Blob[] = [];
    let text = isCsv ? csvLine(columns) : '[';
    let count = 0;
    for await (const row of eachRow<Record<string, unknown>>(name, toListQuery({ filter, sort }), signal)) {
      const values = columns.map((column) => [column, row[column] ?? null]);
      const json = JSON.stringify(Object.fromEntries(values));
      text += isCsv ? csvLine(values.map(([, value]) => value)) : `${count === 0 ? '\n' : ',\n'}${json}`;
      if (++count % 100 !== 0) continue;
      parts.push(new Blob([text]));
      text = '';
      setRows(count);
    }
    signal.throwIfAborted();
    setRows(count);
    const type = isCsv ? 'text/csv;charset=utf-8' : 'application/json';
    return new Blob([...parts, text, isCsv ? '' : '\n]\n'], { type });
  }

  async function run(format: 'csv' | 'json') {
    setRows(0);
    const { signal } = stop.current;
    try {
      saveFile(await exportRows(format === 'csv', signal), `${name}.${format}`);
      setDone(true);
    } catch (error) {
      if (!signal.aborted) setProblem(reasonOf(error));
    }
  }

  function close() {
    stop.current.abort();
    onClose();
  }

  const what = total === undefined ? '…' : countText(total, description);
  return (
    <ConfirmDialog
      title={translate('Export {what}', { what: lowerCaseFirst(labelOf(description)) })}
      maxWidth="xs"
      onClose={close}
      cancel={isDone ? translate('Close') : translate('Cancel')}
      {...(rows === undefined && { confirm: translate('CSV'), onConfirm: () => void run('csv') })}
      actions={rows === undefined && <Button onClick={() => void run('json')}>{translate('JSON')}</Button>}
    >
      {(problem || error) && <Alert severity="error">{problem ?? error?.message}</Alert>}
      {rows === undefined ? (
        <p role="status" className="quiet">
          {translate('{what} with this filter, in this order.', { what })}
        </p>
      ) : (
        <BulkProgress label={translate('Export')} succeeded={rows} failed={0} total={total} />
      )}
      {isDone && <p className="quiet">{translate('The file is saved.')}</p>}
    </ConfirmDialog>
  );
}
