import AddIcon from '@mui/icons-material/Add';
import EditIcon from '@mui/icons-material/EditOutlined';
import { Box, Card, Typography } from '@mui/material';
import { lazy, type ReactNode } from 'react';
import { type RaRecord, ReferenceManyField, ResourceContextProvider, useRecordContext } from 'react-admin';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import type { RelationDescription, ResourceDescription } from '../data/descriptions.ts';
import { Pagination } from '../lists/Pagination.tsx';
import { Rows } from '../lists/Rows.tsx';
import { columnsOf, humanizeName, labelOf, rowName, singularOf } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { lowerCaseFirst } from '../text/words.ts';
import { SendAgain } from '../webhooks/SendAgain.tsx';
import { DialogButton } from '../widgets/DialogButton.tsx';
import { ListError } from '../widgets/LoadError.tsx';
import { AddLink, RemoveLink, useLinks } from './LinkedRows.tsx';
import { RemoveButton } from './RemoveButtons.tsx';

/** A delivery is sent shortly after it was requested. The table is read again until no delivery waits. */
const untilDelivered = (rows: RaRecord[] = []): number | false =>
  rows.some(({ webhook_id, state }) => webhook_id && state === 'waiting') && 5000;

/** The rows of one relation, from `/v1/<resources>/<id>/<children>`, and the actions that link them to this row. */
export function Related({ relation, target }: { relation: RelationDescription; target: ResourceDescription }) {
  const { name } = useDescription();
  const row = useRecordContext();
  const links = useLinks(relation);
  const parentReference = useParentReference(relation);
  const removeLink = links?.canRemove && row && <RemoveLink links={links} parent={String(row.id)} target={target} />;
  return (
    <section>
      <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between', mb: 1 }}>
        <Typography variant="h6" component="h2">
          {relation.name === relation.resource ? labelOf(target) : translate(humanizeName(relation.name))}
        </Typography>
        {links?.canAdd && <AddLink links={links} target={target} />}
        <AddRelated parentReference={parentReference} target={target} />
      </Box>
      <Card>
        <ReferenceManyField
          reference={relation.resource}
          target={`${name}/${relation.name}`}
          perPage={10}
          error={<ListError />}
          pagination={<Pagination />}
          queryOptions={{ refetchInterval: ({ state }) => untilDelivered(state.data?.data) }}
        >
          <Rows
            columns={columnsOf(target, 5).filter((field) => field.name !== relation.by)}
            sorted={false}
            selectable={false}
            rowAction={
              target.name === 'webhook-deliveries' ? (
                <SendAgain />
              ) : (
                <RelatedRowActions parentReference={parentReference} removeLink={removeLink || undefined} />
              )
            }
          />
        </ReferenceManyField>
      </Card>
    </section>
  );
}

const RowDialog = lazy(() => import('./RowDialog.tsx'));

type ParentReference = { field: string; value: unknown } | undefined;

/** The field of the related rows that refers to the shown row. */
function useParentReference({ kind, by }: RelationDescription): ParentReference {
  const row = useRecordContext();
  return kind === 'hasMany' && by !== undefined && row ? { field: by, value: row.id } : undefined;
}

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

/** The buttons of a related row. `untie` removes the link and keeps the row. */
function RelatedRowActions({
  parentReference,
  removeLink,
}: {
  parentReference: ParentReference;
  removeLink?: ReactNode;
}) {
  return (
    <Box component="span" sx={{ display: 'inline-flex', whiteSpace: 'nowrap' }}>
      <EditRow parentReference={parentReference} />
      {removeLink ?? (parentReference && <RemoveButton small />)}
    </Box>
  );
}

function EditRow({ parentReference }: { parentReference: ParentReference }) {
  const description = useDescription();
  const row = useRecordContext();
  if (!row || !description.operations.has('update') || !description.operations.has('find')) return null;
  const label = translate('Edit {row}', { row: rowName(description, row) });
  const dialog = (close: () => void) => (
    <RowDialog id={String(row.id)} parentReference={parentReference} onClose={close} />
  );
  return <DialogButton small label={label} icon={EditIcon} dialog={dialog} />;
}
