import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import { useDelete, useRecordContext, useRedirect } from 'react-admin';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { removalText, rowName, singularOf } from '../text/presentation.ts';
import { lowerCaseFirst } from '../text/translate.ts';
import { DialogButton } from '../widgets/DialogButton.tsx';
import { useTask } from '../widgets/useTask.ts';
import { useUndoToast } from '../widgets/useUndoToast.tsx';
import { RemovalDialog } from './RemovalDialog.tsx';
import { isDeleted, RestoreButton, restoreRow } from './RestoreButton.tsx';

/** Deletes the shown row after a confirmation. In a list it is an icon (`small`), and the list stays open. */
export function RemoveButton({ small = false }: { small?: boolean }) {
  const description = useDescription();
  const row = useRecordContext();
  const redirect = useRedirect();
  const [deleteOne] = useDelete();
  const { busy, run } = useTask();
  const undoToast = useUndoToast();
  if (isDeleted(row)) return <RestoreButton small={small} />;
  const { name, operations, softDelete } = description;
  if (!row || !operations.has('delete')) return null;
  const thing = singularOf(description);
  const what = rowName(description, row);
  const id = String(row.id);

  async function remove(close: () => void) {
    const options = { mutationMode: 'pessimistic', returnPromise: true } as const;
    const message = removalText(description, 'done', { what: thing });
    const send = () => deleteOne(name, { id, previousData: row }, options);
    if (!(await run(send, softDelete ? undefined : message))) return;
    if (softDelete) undoToast(message, () => restoreRow(name, id));
    close();
    if (!small) redirect('list', name);
  }

  return (
    <DialogButton
      label={removalText(description, 'all', { what })}
      shortLabel={removalText(description, 'word')}
      small={small}
      icon={DeleteIcon}
      color="error"
      dialog={(close) => (
        <RemovalDialog
          id={id}
          title={removalText(description, 'one', { thing: lowerCaseFirst(thing), row: what })}
          confirm={removalText(description, 'all', { what: lowerCaseFirst(thing) })}
          onConfirm={() => void remove(close)}
          maxWidth="xs"
          busy={busy}
          onClose={close}
        />
      )}
    />
  );
}
