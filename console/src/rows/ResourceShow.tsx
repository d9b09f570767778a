import CodeIcon from '@mui/icons-material/CodeOutlined';
import { Box, Card } from '@mui/material';
import { Suspense } from 'react';
import { EditButton, RecordField, Show, useRecordContext } from 'react-admin';
import {
  CodeDrawer,
  LiveRow,
  PersonPage,
  ProviderState,
  Receivers,
  RowHistory,
  SendAgain,
  TestSignIn,
} from '../../../extensions/all-console-parts.ts';
import {
  type FieldDescription,
  type ResourceDescription,
  useDescription,
  useDescriptions,
} from '../data/DescriptionsProvider.tsx';
import { fieldLabel, hasField, isBuiltin, rowName, singularOf } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { CopyButton } from '../widgets/Code.tsx';
import { DialogButton } from '../widgets/DialogButton.tsx';
import { LoadedRow } from '../widgets/LoadError.tsx';
import { PageActions } from '../widgets/PageActions.tsx';
import { ActionButtons } from './ActionButtons.tsx';
import { Related } from './Related.tsx';
import { RemoveButton } from './RemoveButtons.tsx';
import { isDeleted } from './RestoreButton.tsx';
import { Value } from './Value.tsx';

/** Relations of other kinds are shown as fields of the row: a reference, or a list of names. */
const shownBelow = new Set(['hasMany', 'manyToMany', 'namedBy']);

/** The page of one row of any resource. */
export default function ResourceShow() {
  const { name } = useDescription();
  return (
    <Show title={<ShowTitle />} actions={<ShowActions />} component="div" queryOptions={{ onError: () => undefined }}>
      <LoadedRow>
        <LiveRow />
        {name === 'users' ? <PersonPage history={<RowHistory />} /> : <RowPage />}
      </LoadedRow>
    </Show>
  );
}

/** The fields of a row, and below them its related rows. */
function RowPage() {
  const { name, relations } = useDescription();
  const descriptions = useDescriptions();
  const lists = relations.filter(({ kind, resource }) => shownBelow.has(kind) && descriptions.has(resource));
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'flex-start', gap: 3 }}>
      <Box sx={{ flex: '8 1 600px', minWidth: 0, display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <Card sx={{ p: { xs: 2, md: 3 } }}>
          <Box
            sx={{
              ...{ display: 'grid', gap: 2.5 },
              gridTemplateColumns: 'repeat(auto-fill, minmax(min(150px, 100%), 1fr))',
            }}
          >
            <ShownFields />
          </Box>
        </Card>
        {name === 'providers' && <ProviderState />}
        {lists.map((relation) => (
          <Related
            key={relation.name}
            relation={relation}
            target={descriptions.get(relation.resource) as ResourceDescription}
          />
        ))}
        {name === 'webhooks' && (
          <Suspense>
            <Receivers />
          </Suspense>
        )}
      </Box>
      {name !== 'events' && (
        <Box sx={{ flex: '1 1 320px', minWidth: 0, '&:empty': { display: 'none' } }}>
          <RowHistory />
        </Box>
      )}
    </Box>
  );
}

/** The fields of a row, with the id last. For a built-in resource, empty fields are omitted. */
function ShownFields() {
  const description = useDescription();
  const row = useRecordContext();
  const { name, fields } = description;
  const idName = name === 'clients' ? 'client_id' : 'id';
  const isEmpty = (field: string) => [null, undefined, ''].includes(row?.[field]) || row?.[field]?.length === 0;
  const copyLabelOf = (field: FieldDescription) => {
    if (field.name === idName) return translate('Copy id');
    return name === 'providers' && field.name === 'redirect_uri' ? translate('Copy') : undefined;
  };
  const widthOf = (field: FieldDescription) => {
    if (copyLabelOf(field) || (field.type === 'json' && !isEmpty(field.name))) return { gridColumn: '1 / -1' };
    const isWide = field.references === undefined && isLong(row?.[field.name]);
    return isWide ? { gridColumn: { xs: '1 / -1', sm: 'span 2' } } : undefined;
  };
  return (
    fields
      .filter((field) => !field.writeOnly && hasField(name, field.name, row))
      .filter((field) => !isBuiltin(description) || !isEmpty(field.name))
      // An id is shown once: that of a client as its client ID, that of a job as its name.
      .filter((field) => field.name !== 'id' || (name !== 'clients' && row?.name !== row?.id))
      .sort((a, b) => Number(a.name === idName) - Number(b.name === idName))
      .map((field) => (
        <RecordField key={field.name} source={field.name} label={fieldLabel(field)} sx={widthOf(field)}>
          {row && copyLabelOf(field) ? (
            <Copied text={String(row[field.name])} label={copyLabelOf(field)} />
          ) : (
            <Value field={field} />
          )}
        </RecordField>
      ))
  );
}

/** Whether the value is too long for one column, such as a URL or a list. */
const isLong = (value: unknown): boolean =>
  (typeof value === 'string' || Array.isArray(value)) && String(value).length > 26;

function Copied({ text, label }: { text: string; label: string | undefined }) {
  return (
    <Box
      component="span"
      sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap', overflowWrap: 'anywhere' }}
    >
      <span className="mono">{text}</span>
      <CopyButton text={text} label={label} />
    </Box>
  );
}

function ShowTitle() {
  const description = useDescription();
  const row = useRecordContext();
  const name = singularOf(description);
  return <span>{row ? `${name} ${rowName(description, row)}` : name}</span>;
}

function ShowActions() {
  const { operations, name } = useDescription();
  const row = useRecordContext();
  return (
    <PageActions>
      {!isDeleted(row) && (
        <>
          <ActionButtons />
          {name === 'webhook-deliveries' && <SendAgain />}
          {name === 'providers' && <TestSignIn />}
          <DialogButton label={translate('API')} icon={CodeIcon} dialog={(close) => <CodeDrawer onClose={close} />} />
          {operations.has('update') && <EditButton />}
        </>
      )}
      <RemoveButton />
    </PageActions>
  );
}
