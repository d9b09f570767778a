import AddIcon from '@mui/icons-material/Add';
import AddLinkIcon from '@mui/icons-material/AddLink';
import EditIcon from '@mui/icons-material/EditOutlined';
import RemoveIcon from '@mui/icons-material/LinkOff';
import { Box, Card } from '@mui/material';
import { lazy, Suspense, useState } from 'react';
import { ReferenceManyField, ResourceContextProvider, required, useRecordContext } from 'react-admin';
import { SendAgain, untilDelivered } from '../../../extensions/all-console-parts.ts';
import { gatehouse } from '../data/api.ts';
import { useDescription, useDescriptions } from '../data/DescriptionsProvider.tsx';
import type { RelationDescription, ResourceDescription } from '../data/descriptions.ts';
import { RowInput } from '../forms/Input.tsx';
import { Pagination } from '../lists/Pagination.tsx';
import { Rows } from '../lists/Rows.tsx';
import { columnsOf, humanizeName, labelOf, rowName, singularOf } from '../text/presentation.ts';
import { lowerCaseFirst, translate } from '../text/translate.ts';
import { ActionButton, DialogButton } from '../widgets/DialogButton.tsx';
import { FormButton } from '../widgets/FormDialog.tsx';
import { LoadedList } from '../widgets/LoadError.tsx';
import { useTask } from '../widgets/useTask.ts';
import { RemoveButton } from './RemoveButtons.tsx';

/** The rows of one relation, from `/v1/<resources>/<id>/<children>`, and the actions that link them to this row. */
export function Related({ relation, target }: { relation: RelationDescription; target: ResourceDescription }) {
  const { name } = useDescription();
  const row = useRecordContext();
  const links = useLinks(relation);
  const [edited, setEdited] = useState<string>();
  const { kind, by } = relation;
  // The field of the related rows that refers to the shown row.
  const parentReference = kind === 'hasMany' && by !== undefined && row ? { field: by, value: row.id } : undefined;
  return (
    <section>
      <Box className="spread" sx={{ mb: 1 }}>
        <h2 className="heading">
          {relation.name === relation.resource ? labelOf(target) : translate(humanizeName(relation.name))}
        </h2>
        {links?.canAdd && <AddLink links={links} target={target} />}
        <AddRelated parentReference={parentReference} target={target} />
      </Box>
      <Card>
        <ReferenceManyField
          reference={relation.resource}
          target={`${name}/${relation.name}`}
          perPage={10}
          pagination={<Pagination />}
          queryOptions={{ refetchInterval: ({ state }) => untilDelivered(state.data?.data) }}
        >
          <LoadedList>
            <Rows
              columns={columnsOf(target, 5).filter((field) => field.name !== relation.by)}
              sorted={false}
              selectable={false}
              rowAction={
                target.name === 'webhook-deliveries' ? (
                  <SendAgain />
                ) : (
                  <Box component="span" sx={{ display: 'inline-flex', whiteSpace: 'nowrap' }}>
                    <EditRow onEdit={setEdited} />
                    {links?.canRemove && row ? (
                      <RemoveLink links={links} parent={String(row.id)} target={target} />
                    ) : (
                      parentReference && <RemoveButton small />
                    )}
                  </Box>
                )
              }
            />
          </LoadedList>
        </ReferenceManyField>
      </Card>
      {/* The dialog is not in the row, so it stays open when the row is drawn in another way. */}
      {edited !== undefined && (
        <Suspense>
          <ResourceContextProvider value={target.name}>
            <RowDialog id={edited} parentReference={parentReference} onClose={() => setEdited(undefined)} />
          </ResourceContextProvider>
        </Suspense>
      )}
    </section>
  );
}

const RowDialog = lazy(() => import('./RowDialog.tsx'));

type ParentReference = { field: string; value: unknown } | undefined;

/** Creates a row that belongs to the shown row, if the reference field is writable. */
function AddRelated({ parentReference, target }: { parentReference: ParentReference; target: ResourceDescription }) {
  const settable = target.fields.some(({ name, readOnly }) => name === parentReference?.field && !readOnly);
  if (!settable || !target.operations.has('create')) return null;
  return (
    <DialogButton
      label={translate('New {thing}', { thing: lowerCaseFirst(singularOf(target)) })}
      icon={AddIcon}
      dialog={(close) => (
        <ResourceContextProvider value={target.name}>
          <RowDialog parentReference={parentReference} onClose={close} />
        </ResourceContextProvider>
      )}
    />
  );
}

function EditRow({ onEdit }: { onEdit: (id: string) => void }) {
  const description = useDescription();
  const row = useRecordContext();
  if (!row || !description.operations.has('update') || !description.operations.has('find')) return null;
  const label = translate('Edit {row}', { row: rowName(description, row) });
  return <ActionButton small label={label} icon={EditIcon} onClick={() => onEdit(String(row.id))} />;
}

/** The links of a many-to-many relation are rows. Returns whether this person may add and remove them. */
function useLinks({ kind, through, from, to }: RelationDescription) {
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
function AddLink({ links, target }: { links: Links; target: ResourceDescription }) {
  const row = useRecordContext();
  const singular = singularOf(target);
  const add = ({ chosen }: { chosen?: string }) =>
    gatehouse.resource(links.resource).create({ [links.from]: row?.id, [links.to]: chosen });
  return (
    <FormButton
      label={translate('Add {thing}', { thing: lowerCaseFirst(singular) })}
      icon={AddLinkIcon}
      confirm={translate('Add')}
      maxWidth="xs"
      onSubmit={add}
      successMessage={translate('{thing} added.', { thing: singular })}
    >
      <RowInput source="chosen" label={singular} reference={target.name} validate={required()} />
    </FormButton>
  );
}

/** Removes the link between a row and the shown row. Both rows stay. */
function RemoveLink({ links, parent, target }: { links: Links; parent: string; target: ResourceDescription }) {
  const row = useRecordContext();
  const { run } = useTask();
  if (!row) return null;

  async function remove() {
    const rows = gatehouse.resource<{ id: string }>(links.resource);
    const search = { [links.from]: parent, [links.to]: String(row?.id) };
    const { data } = await rows.list({ search, count: 'none' });
    for (const { id } of data) await rows.delete(id);
  }

  const label = translate('Remove {row} from here', { row: rowName(target, row) });
  const successMessage = translate('{thing} removed from here.', { thing: singularOf(target) });
  return <ActionButton small label={label} icon={RemoveIcon} onClick={() => void run(remove, successMessage)} />;
}
