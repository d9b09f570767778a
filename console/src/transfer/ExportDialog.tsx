import { Alert, Button, Typography } from '@mui/material';
import { useEffect, useRef, useState } from 'react';
import { useListContext } from 'react-admin';
import { reasonOf } from '../../../src/platform/errors.ts';
import { BulkProgress } from '../bulk/BulkReport.tsx';
import { countOf } from '../bulk/selected-rows.ts';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { countText, labelOf } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { lowerCaseFirst } from '../text/words.ts';
import { ConfirmDialog } from '../widgets/ConfirmDialog.tsx';
import { exportRows, type Format, saveFile } from './export-rows.ts';

/** Saves every row that matches the list's filter as a file. */
export default function ExportDialog({ onClose }: { onClose: () => void }) {
  const description = useDescription();
  const { name, fields } = description;
  const { filterValues: filter, sort } = useListContext();
  const [total, setTotal] = useState<number>();
  const [rows, setRows] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const [isDone, setDone] = useState(false);
  const stop = useRef(new AbortController());

  useEffect(() => {
    countOf(name, filter).then(setTotal, (error: Error) => setProblem(error.message));
  }, [name, filter]);

  async function run(format: Format) {
    setRows(0);
    const { signal } = stop.current;
    const fieldNames = fields.filter(({ writeOnly }) => !writeOnly).map((field) => field.name);
    try {
      const options = { resource: name, fields: fieldNames, filter, sort, format, signal, onProgress: setRows };
      saveFile(await exportRows(options), `${name}.${format}`);
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
      {problem && <Alert severity="error">{problem}</Alert>}
      {rows === undefined ? (
        <Typography role="status" sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
          {translate('{what} with this filter, in this order.', { what })}
        </Typography>
      ) : (
        <BulkProgress label={translate('Export')} succeeded={rows} failed={0} total={total} />
      )}
      {isDone && <Typography sx={{ color: 'text.secondary' }}>{translate('The file is saved.')}</Typography>}
    </ConfirmDialog>
  );
}
