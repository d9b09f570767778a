import { Alert, Box, Button } from '@mui/material';
import { type ChangeEvent, useState } from 'react';
import { useRefresh } from 'react-admin';
import { useDescription, useDescriptions } from '../../../console/src/data/DescriptionsProvider.tsx';
import { countText, labelOf } from '../../../console/src/text/presentation.ts';
import { lowerCaseFirst, translate } from '../../../console/src/text/translate.ts';
import { ConfirmDialog } from '../../../console/src/widgets/ConfirmDialog.tsx';
import { reasonOf } from '../../../src/platform/errors.ts';
import { BulkProgress, BulkReport, useBulk } from './BulkReport.tsx';
import { type CheckedRow, checkRows, columnsIn, isWrong, operationOf } from './check-rows.ts';
import { csvLine, saveFile } from './csv.ts';
import { ImportTable } from './ImportTable.tsx';
import { readRows } from './read-rows.ts';

/**
 * Imports rows from a file. It shows the rows with their problems, lets the person correct or skip them, writes them, and can undo the
 * import.
 */
export default function ImportDialog({ onClose }: { onClose: () => void }) {
  const description = useDescription();
  const descriptions = useDescriptions();
  const refresh = useRefresh();
  const [rows, setRows] = useState<CheckedRow[]>();
  const [problem, setProblem] = useState<string>();
  const { progress, report, start, stop, isUndoing, undoReport, undoCount, undoAll } = useBulk<CheckedRow>();
  const validRows = rows?.filter((row) => !row.isSkipped && !isWrong(row)) ?? [];

  async function readFile(file: File | undefined) {
    setRows(undefined);
    setProblem(undefined);
    if (!file) return;
    try {
      setRows(await checkRows(description, readRows(file.name, await file.text()), descriptions));
    } catch (error) {
      setProblem(translate('This file cannot be read: {reason}', { reason: reasonOf(error) }));
    }
  }

  async function write() {
    const work = { rows: validRows, operationOf, valuesOf: ({ before }: CheckedRow) => before };
    const { failures } = await start(() => work);
    // The rows that the service refused stay in the table, with its reasons.
    const failedRows = failures.map(({ row, message, error: { fields = [] } }) => ({
      ...row,
      problems:
        fields.length > 0 ? Object.fromEntries(fields.map((field) => [field.field, field.message])) : { id: message },
    }));
    const writtenNumbers = new Set(validRows.map(({ number }) => number));
    // A corrected row may have been checked while the others were written.
    setRows((current = []) => {
      const otherRows = current.filter(({ number }) => !writtenNumbers.has(number));
      return [...failedRows, ...otherRows].sort((a, b) => a.number - b.number);
    });
    refresh();
  }

  const isBusy = progress !== undefined;
  return (
    <ConfirmDialog
      title={
        undoReport?.isStopped === false
          ? translate('The import is undone')
          : report
            ? translate('{what} imported', { what: countText(report.succeeded, description) })
            : translate('Import {what}', { what: lowerCaseFirst(labelOf(description)) })
      }
      text={
        !rows &&
        translate(
          'Upload CSV (with a header row) or JSON. Rows with an id update existing records. You’ll see a preview first.',
        )
      }
      maxWidth={rows ? 'lg' : 'sm'}
      isModal
      cancel={isBusy ? translate('Stop') : report ? translate('Close') : translate('Cancel')}
      onClose={isBusy ? stop : onClose}
      actions={
        undoCount > 0 &&
        !isBusy && <Button onClick={() => void undoAll().then(refresh)}>{translate('Undo the import')}</Button>
      }
      {...(!isBusy &&
        !undoReport &&
        (validRows.length > 0 || !report) && {
          confirm:
            validRows.length > 0
              ? translate('Import {what}', { what: countText(validRows.length, description) })
              : translate('Import'),
          disabled: validRows.length === 0,
          onConfirm: () => void write(),
        })}
    >
      {!rows && (
        <Box
          component="input"
          type="file"
          aria-label={translate('File')}
          accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl,text/csv,application/json"
          onChange={({ target }: ChangeEvent<HTMLInputElement>) => void readFile(target.files?.[0])}
          sx={{
            ...{ font: 'inherit', maxWidth: '100%' },
            '&::file-selector-button': {
              ...{ font: 'inherit', fontWeight: 600, mr: 1, px: 2, py: 0.75, cursor: 'pointer' },
              ...{ border: '1px solid', borderColor: 'primary.main', borderRadius: 1, color: 'primary.main' },
              bgcolor: 'transparent',
            },
          }}
        />
      )}
      {problem && <Alert severity="error">{problem}</Alert>}
      {progress && (
        <BulkProgress
          label={isUndoing ? translate('Undo the import') : translate('Import')}
          total={isUndoing ? undoCount : validRows.length}
          {...progress}
        />
      )}
      {undoReport && <BulkReport report={undoReport} />}
      {report && !undoReport && !isBusy && (
        <Alert severity={report.failures.length > 0 ? 'warning' : 'success'} sx={{ mb: 2 }}>
          {report.failures.length > 0
            ? translate('{what} failed', { what: countText(report.failures.length, description) })
            : translate('Nothing failed.')}
        </Alert>
      )}
      {rows && rows.length > 0 && !isBusy && !undoReport && (
        <>
          <ImportSummary rows={rows} validRows={validRows} />
          <ImportTable
            rows={rows}
            onChange={(changed) =>
              setRows((current) => current?.map((row) => (row.number === changed.number ? changed : row)))
            }
          />
          {report && (
            <Button onClick={() => saveFile(new Blob([failedLines(rows)]), `${description.name}-failed.csv`)}>
              {translate('Download the failed rows')}
            </Button>
          )}
        </>
      )}
    </ConfirmDialog>
  );
}

function ImportSummary({ rows, validRows }: { rows: CheckedRow[]; validRows: CheckedRow[] }) {
  const { unknown } = columnsIn(useDescription(), rows);
  const created = validRows.filter(({ id }) => id === undefined).length;
  const values = { created, changed: validRows.length - created, left: rows.length - validRows.length };
  return (
    <>
      <p role="status">
        {translate('This creates {created, number}, changes {changed, number} and leaves {left, number} out.', values)}
      </p>
      {unknown.length > 0 && (
        <Alert severity="info" sx={{ mb: 1 }}>
          {translate('These columns are ignored because there is no such field: {fields}.', {
            fields: unknown.join(', '),
          })}
        </Alert>
      )}
    </>
  );
}

/** The remaining rows as a file that can be corrected and imported again. */
function failedLines(rows: readonly CheckedRow[]): string {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const lines = rows.map(({ values, problems }) =>
    csvLine([...names.map((name) => values[name]), Object.values(problems).join(' ')]),
  );
  return csvLine([...names, 'error']) + lines.join('');
}
