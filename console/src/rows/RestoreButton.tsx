import RestoreIcon from '@mui/icons-material/RestoreFromTrashOutlined';
import { useRecordContext } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { singularOf } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { ActionButton } from '../widgets/DialogButton.tsx';
import { useTask } from '../widgets/useTask.ts';

/** Whether the row is soft-deleted. */
export const isDeleted = (row: Record<string, unknown> | undefined): boolean => typeof row?.deleted_at === 'string';

export const restoreRow = (resource: string, id: string): Promise<unknown> => gatehouse.resource(resource).restore(id);

/** Restores the shown row. */
export function RestoreButton({ small }: { small: boolean }) {
  const description = useDescription();
  const row = useRecordContext();
  const { busy, run } = useTask();
  const label = translate('Restore');
  const restore = () =>
    run(
      () => restoreRow(description.name, String(row?.id)),
      translate('{what} restored', { what: singularOf(description) }),
    );
  return <ActionButton {...{ label, small }} icon={RestoreIcon} disabled={busy} onClick={() => void restore()} />;
}
