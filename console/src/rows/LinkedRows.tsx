import AddIcon from '@mui/icons-material/AddLink';
import RemoveIcon from '@mui/icons-material/LinkOff';
import { useRecordContext } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { useDescriptions } from '../data/DescriptionsProvider.tsx';
import type { RelationDescription, ResourceDescription } from '../data/descriptions.ts';
import { RowInput } from '../forms/Input.tsx';
import { rowName, singularOf } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { lowerCaseFirst } from '../text/words.ts';
import { ActionButton, DialogButton } from '../widgets/DialogButton.tsx';
import { FormDialog } from '../widgets/FormDialog.tsx';
import { useTask } from '../widgets/useTask.ts';

/** The links of a many-to-many relation are rows. Returns whether this person may add and remove them. */
export function useLinks({ kind, through, from, to }: RelationDescription) {
  const links = useDescriptions().get(through ?? '');
  if (kind !== 'manyToMany' || !links || !from || !to) return undefined;
  const hasOtherRequiredField = links.fields.some(
    ({ name, required, readOnly }) => required && !readOnly && name !== from && name !== to,
  );
  return {
    ...{ resource: links.name, from, to },
    canAdd: links.operations.has('create') && !hasOtherRequiredField,
    canRemove: links.operations.has('delete'),
  };
}

type Links = NonNullable<ReturnType<typeof useLinks>>;

/** Links an existing row to the shown row. */
export function AddLink({ links, target }: { links: Links; target: ResourceDescription }) {
  const row = useRecordContext();
  const { run } = useTask();
  const singular = singularOf(target);
  const title = translate('Add {thing}', { thing: lowerCaseFirst(singular) });

  const add = async (chosen: string | undefined, close: () => void) => {
    if (!chosen || !row) return;
    const link = { [links.from]: row.id, [links.to]: chosen };
    if (
      await run(() => gatehouse.resource(links.resource).create(link), translate('{thing} added.', { thing: singular }))
    )
      close();
  };

  return (
    <DialogButton
      label={title}
      icon={AddIcon}
      dialog={(close) => (
        <FormDialog
          title={title}
          confirm={translate('Add')}
          maxWidth="xs"
          onClose={close}
          onSubmit={(values: { chosen?: string }) => add(values.chosen, close)}
          form={{ record: {} }}
        >
          <RowInput source="chosen" label={singular} reference={target.name} />
        </FormDialog>
      )}
    />
  );
}

/** Removes the link between a row and the shown row. Both rows stay. */
export function RemoveLink({ links, parent, target }: { links: Links; parent: string; target: ResourceDescription }) {
  const row = useRecordContext();
  const { run } = useTask();
  if (!row) return null;

  async function remove() {
    const rows = gatehouse.resource<{ id: string }>(links.resource);
    const search = { [links.from]: parent, [links.to]: String(row?.id) };
    const { data } = await rows.list({ search, count: 'none' });
    for (const { id } of data) await rows.remove(id);
  }

  const label = translate('Remove {row} from here', { row: rowName(target, row) });
  const successMessage = translate('{thing} removed from here.', { thing: singularOf(target) });
  return <ActionButton small label={label} icon={RemoveIcon} onClick={() => void run(remove, successMessage)} />;
}
