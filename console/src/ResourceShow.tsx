import AddIcon from '@mui/icons-material/Add';
import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import {
  Button,
  EditButton,
  Link,
  RecordField,
  ReferenceManyField,
  Show,
  TopToolbar,
  useCreatePath,
  useRecordContext,
} from 'react-admin';
import { ActionButtons } from './ActionButtons.tsx';
import { ListAway, ShowAway } from './away/Away.tsx';
import { useDescription, useDescriptions } from './described.tsx';
import type { RelationDescription, ResourceDescription } from './descriptions.ts';
import { Pages } from './list/Pages.tsx';
import { NewSecretButton } from './NewSecretButton.tsx';
import { columnsOf, fieldLabel, hasField, humanised, labelOf, rowName } from './presentation.ts';
import { RemoveButton } from './RemoveButtons.tsx';
import { Rows } from './Rows.tsx';
import { Value } from './Value.tsx';

/** The others are fields of the row already: a reference, or a list of names. */
const shownBelow = new Set(['hasMany', 'manyToMany', 'namedBy']);

/** One row of any resource: its fields, and below them what belongs to it. */
export function ResourceShow() {
  const description = useDescription();
  const descriptions = useDescriptions();
  const lists = description.relations.filter(
    ({ kind, resource }) => shownBelow.has(kind) && descriptions.has(resource),
  );
  return (
    <Show
      title={<ShowTitle />}
      actions={<ShowActions />}
      component="div"
      error={<ShowAway />}
      queryOptions={{ onError: () => undefined }}
    >
      <Card sx={{ p: { xs: 2, md: 3 } }}>
        <Box sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr', lg: '1fr 1fr 1fr' } }}>
          <ShownFields />
        </Box>
      </Card>
      {lists.map((relation) => (
        <Related
          key={relation.name}
          relation={relation}
          target={descriptions.get(relation.resource) as ResourceDescription}
        />
      ))}
    </Show>
  );
}

function ShownFields() {
  const { name, fields } = useDescription();
  const row = useRecordContext();
  return fields
    .filter((field) => !field.writeOnly && hasField(name, field.name, row))
    .map((field) => (
      <RecordField
        key={field.name}
        source={field.name}
        label={fieldLabel(field)}
        sx={field.type === 'json' ? { gridColumn: '1 / -1' } : undefined}
      >
        <Value field={field} />
      </RecordField>
    ));
}

function ShowTitle() {
  const description = useDescription();
  const row = useRecordContext();
  return <span>{row ? `${humanised(description.singular)} ${rowName(description, row)}` : ''}</span>;
}

function ShowActions() {
  const { operations, name } = useDescription();
  return (
    <TopToolbar>
      {name === 'clients' ? <NewSecretButton /> : <ActionButtons />}
      {operations.has('update') && <EditButton />}
      <RemoveButton />
    </TopToolbar>
  );
}

/** The rows of one relation, read at `/v1/<resources>/<id>/<children>`. */
function Related({ relation, target }: { relation: RelationDescription; target: ResourceDescription }) {
  const { name } = useDescription();
  return (
    <Box component="section" sx={{ mt: 3 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between', mb: 1 }}>
        <Typography variant="h6" component="h2">
          {relation.name === relation.resource ? labelOf(target) : humanised(relation.name)}
        </Typography>
        <AddRelated relation={relation} target={target} />
      </Box>
      <Card>
        <ReferenceManyField
          reference={relation.resource}
          target={`${name}/${relation.name}`}
          perPage={10}
          error={<ListAway />}
          pagination={<Pages />}
        >
          <Rows
            columns={columnsOf(target, 5).filter((field) => field.name !== relation.by)}
            sorted={false}
            selectable={false}
          />
        </ReferenceManyField>
      </Card>
    </Box>
  );
}

/** Only where the new row can be told whom it belongs to. */
function AddRelated({
  relation: { kind, by },
  target,
}: {
  relation: RelationDescription;
  target: ResourceDescription;
}) {
  const row = useRecordContext();
  const createPath = useCreatePath();
  const settable = target.fields.some(({ name, readOnly }) => name === by && !readOnly);
  if (!row || kind !== 'hasMany' || by === undefined || !settable || !target.operations.has('create')) return null;
  return (
    <Button
      component={Link}
      to={createPath({ resource: target.name, type: 'create' })}
      state={{ record: { [by]: row.id } }}
      label={`New ${target.singular}`}
      startIcon={<AddIcon />}
    />
  );
}
