import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import { useState } from 'react';
import { useDelete, useRecordContext, useRedirect } from 'react-admin';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { removalText, removeWarningOf, rowName, singularOf } from '../text/presentation.ts';
import { lowerCaseFirst } from '../text/translate.ts';
import { ConfirmDialog } from '../widgets/ConfirmDialog.tsx';
import { DialogButton } from '../widgets/DialogButton.tsx';
import { useTask } from '../widgets/useTask.ts';
import { useUndoToast } from '../widgets/useUndoToast.tsx';
import { DeletionEffects } from './DeletionEffects.tsx';
import { isDeleted, RestoreButton, restoreRow } from './RestoreButton.tsx';

/** Deletes the shown row after a confirmation. In a list it is an icon (`small`), and the list stays open. */
export function RemoveButton({ small = false }: { small?: boolean }) {
  const description = useDescription();
  const row = useRecordContext();
  const redirect = useRedirect();
  if (isDeleted(row)) return <RestoreButton small={small} />;
  if (!row || !description.operations.has('delete')) return null;
  const label = removalText(description, 'all', { what: rowName(description, row) });
  return (
    <DialogButton
      {...{ label, small }}
      word={removalText(description, 'word')}
      icon={DeleteIcon}
      color="error"
      dialog={(close) => (
        <ConfirmRemoval onClose={close} onRemoved={() => !small && redirect('list', description.name)} />
      )}
    />
  );
}

function ConfirmRemoval({ onClose, onRemoved }: { onClose: () => void; onRemoved: () => void }) {
  const description = useDescription();
  const row = useRecordContext();
  const [deleteOne] = useDelete();
  const { busy, run } = useTask();
  const undoToast = useUndoToast();
  const [isBlocked, setBlocked] = useState(false);
  if (!row) return null;
  const thing = singularOf(description);

  async function remove() {
    const target = { id: String(row?.id), previousData: row };
    const options = { mutationMode: 'pessimistic', returnPromise: true } as const;
    const successMessage = removalText(description, 'done', { what: thing });
    const removed = await run(
      () => deleteOne(description.name, target, options),
      description.softDelete ? undefined : successMessage,
    );
    if (!removed) return;
    if (description.softDelete) undoToast(successMessage, () => restoreRow(description.name, target.id));
    onClose();
    onRemoved();
  }

  return (
    <ConfirmDialog
      title={removalText(description, 'one', { thing: lowerCaseFirst(thing), row: rowName(description, row) })}
      confirm={removalText(description, 'all', { what: lowerCaseFirst(thing) })}
      onConfirm={() => void remove()}
      danger
      maxWidth="xs"
      disabled={isBlocked}
      {...{ busy, onClose }}
    >
      {!isBlocked && removeWarningOf(description)}
      <DeletionEffects selection={{ ids: [String(row.id)] }} onBlocked={setBlocked} />
    </ConfirmDialog>
  );
}
