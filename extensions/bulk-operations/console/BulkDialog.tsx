import { Button, MenuItem, TextField } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useDescription } from '../../../console/src/data/DescriptionsProvider.tsx';
import { Input } from '../../../console/src/forms/Input.tsx';
import { useRemoval } from '../../../console/src/rows/RemovalDialog.tsx';
import { countText, fieldLabel, removalText, rowName } from '../../../console/src/text/presentation.ts';
import { lowerCaseFirst, translate } from '../../../console/src/text/translate.ts';
import { ConfirmDialog } from '../../../console/src/widgets/ConfirmDialog.tsx';
import { FormDialog } from '../../../console/src/widgets/FormDialog.tsx';
import { useUndoToast } from '../../../console/src/widgets/useUndoToast.tsx';
import { BulkProgress, BulkReport, useBulk } from './BulkReport.tsx';
import type { Operation } from './run-bulk.ts';
import { type Row, rowsOf, type Selection, sharedFields } from './selected-rows.ts';

interface Props {
  task: 'update' | 'delete';
  selection: Selection;
  total: number;
  /** Called after the task. The selection is cleared. */
  onClose: () => void;
  /** Called before the task has started. The selection stays. */
  onCancel: () => void;
}

/** Changes one field of all selected rows, or deletes them. It asks for confirmation, shows the progress, and lists the failures. */
export default function BulkDialog({ task, selection, total, onClose, onCancel }: Props) {
  const description = useDescription();
  const { progress, report, start, stop, isUndoing, undoReport, undoCount, undoAll } = useBulk<Row>();
  const undoToast = useUndoToast();
  const removal = useRemoval(useSelectedIds(task === 'delete' ? selection : { ids: [] }), 'ids' in selection);
  const [field, setField] = useState(sharedFields(description)[0]);
  const { name, softDelete } = description;
  const taskText = (form: 'doing' | 'done', what: string) =>
    task === 'delete'
      ? removalText(description, form, { what })
      : translate(form === 'doing' ? 'Changing {what}' : '{what} changed', { what });
  const what = countText(total, description);
  const run = (operationOf: (row: Row) => Operation) =>
    void start((signal) => ({
      rows: rowsOf(name, selection, signal),
      operationOf,
      valuesOf: (row) => row,
      softDelete,
    }));
  function close() {
    onClose();
    if (!report || undoCount === 0) return;
    undoToast(taskText('done', countText(report.succeeded, description)), async () => {
      const [failure] = (await undoAll()).failures;
      if (failure) throw failure.error;
    });
  }

  if (progress || report) {
    const doneText = report && taskText('done', countText(report.succeeded, description));
    return (
      <ConfirmDialog
        title={
          undoReport
            ? translate('{what} restored', { what: countText(undoReport.succeeded, description) })
            : (doneText ?? taskText('doing', what))
        }
        cancel={report ? translate('Close') : translate('Stop')}
        onClose={report ? close : stop}
        isModal={!report}
        actions={
          undoCount > 0 && (
            <Button loading={isUndoing} onClick={() => void undoAll()}>
              {translate('Undo')}
            </Button>
          )
        }
      >
        {progress && !report && <BulkProgress label={taskText('doing', what)} total={total} {...progress} />}
        {report && !undoReport && <BulkReport report={report} nameOf={(row) => row.id && rowName(description, row)} />}
        {undoReport && <BulkReport report={undoReport} />}
      </ConfirmDialog>
    );
  }
  if (task === 'delete') {
    return (
      <ConfirmDialog
        {...removal}
        title={removalText(description, 'ask', { what })}
        confirm={removalText(description, 'all', { what })}
        onConfirm={() => run(({ id }) => ({ operation: 'delete', id }))}
        onClose={onCancel}
      />
    );
  }
  if (!field) return null;
  const change = (values: Record<string, unknown>) => {
    const data = { [field.name]: values[field.name] ?? null };
    run(({ id }) => ({ operation: 'update', id, data }));
  };
  return (
    <FormDialog
      key={field.name}
      title={translate('Change {what}', { what })}
      confirm={translate('Change {what}', { what })}
      onClose={onCancel}
      onSubmit={change}
      isReplaced
      form={{ defaultValues: {} }}
    >
      <TextField
        select
        label={translate('Field')}
        value={field.name}
        onChange={({ target }) => setField(description.fields.find(({ name }) => name === target.value))}
      >
        {sharedFields(description).map((sharedField) => (
          <MenuItem key={sharedField.name} value={sharedField.name}>
            {fieldLabel(sharedField)}
          </MenuItem>
        ))}
      </TextField>
      <Input field={{ ...field, label: translate('New {thing}', { thing: lowerCaseFirst(fieldLabel(field)) }) }} />
    </FormDialog>
  );
}

/** At most this many rows are checked before a deletion. For more rows, the report lists the rows that could not be deleted. */
const mostLookedUp = 1000;

/** The ids of the selected rows. Empty if they are too many. */
function useSelectedIds(selection: Selection): readonly string[] {
  const { name } = useDescription();
  const { data = [] } = useQuery({
    queryKey: [name, 'selected', selection],
    queryFn: async ({ signal }) => {
      const ids: string[] = [];
      for await (const { id } of rowsOf(name, selection, signal)) {
        if (ids.push(id) > mostLookedUp) return [];
      }
      return ids;
    },
    enabled: 'filter' in selection,
  });
  return 'ids' in selection ? selection.ids : data;
}
