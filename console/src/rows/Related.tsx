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
  const tie = useTie(relation);
  const untie = links?.canRemove && row && <RemoveLink links={links} parent={String(row.id)} target={target} />;
  return (
    <section>
      <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between', mb: 1 }}>
        <Typography variant="h6" component="h2">
          {relation.name === relation.resource ? labelOf(target) : translate(humanizeName(relation.name))}
        </Typography>
        {links?.canAdd && <AddLink links={links} target={target} />}
        <AddRelated tie={tie} target={target} />
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
                <RelatedRowActions tie={tie} untie={untie || undefined} />
              )
            }
          />
        </ReferenceManyField>
      </Card>
    </section>
  );
}

const RowDialog = lazy(() => import('./RowDialog.tsx'));

type Tie = { field: string; value: unknown } | undefined;

/** The field of the related rows that refers to the shown row. */
function useTie({ kind, by }: RelationDescription): Tie {
  const row = useRecordContext();
  return kind === 'hasMany' && by !== undefined && row ? { field: by, value: row.id } : undefined;
}

/** Creates a row that belongs to the shown row, if the reference field is writable. */
function AddRelated({ tie, target }: { tie: Tie; target: ResourceDescription }) {
  const settable = target.fields.some(({ name, readOnly }) => name === tie?.field && !readOnly);
  if (!settable || !target.operations.has('create')) return null;
  return (
    <DialogButton
      label={translate('New {thing}', { thing: lowerCaseFirst(singularOf(target)) })}
      icon={AddIcon}
      dialog={(close) => (
        <ResourceContextProvider value={target.name}>
          <RowDialog tie={tie} onClose={close} />
        </ResourceContextProvider>
      )}
    />
  );
}

/** The buttons of a related row. `untie` removes the link and keeps the row. */
function RelatedRowActions({ tie, untie }: { tie: Tie; untie?: ReactNode }) {
  return (
    <Box component="span" sx={{ display: 'inline-flex', whiteSpace: 'nowrap' }}>
      <EditRow tie={tie} />
      {untie ?? (tie && <RemoveButton small />)}
    </Box>
  );
}

function EditRow({ tie }: { tie: Tie }) {
  const description = useDescription();
  const row = useRecordContext();
  if (!row || !description.operations.has('update') || !description.operations.has('find')) return null;
  const label = translate('Edit {row}', { row: rowName(description, row) });
  const dialog = (close: () => void) => <RowDialog id={String(row.id)} tie={tie} onClose={close} />;
  return <DialogButton small label={label} icon={EditIcon} dialog={dialog} />;
}
