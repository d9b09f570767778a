import { Box, Button } from '@mui/material';
import { type RefObject, useEffect, useRef, useState } from 'react';
import {
  Create,
  Edit,
  type Identifier,
  SaveButton,
  ShowButton,
  SimpleForm,
  Toolbar,
  useBlocker,
  useDataProvider,
  useNotify,
  useRecordContext,
  useRedirect,
} from 'react-admin';
import { useFormState } from 'react-hook-form';
import { ConflictWarning, useConflict } from '../../../extensions/all-console-parts.ts';
import { type ResourceDescription, useDescription } from '../data/DescriptionsProvider.tsx';
import { RemoveButton } from '../rows/RemoveButtons.tsx';
import { RevealedSecrets, secretsIn } from '../rows/RevealedSecrets.tsx';
import { rowName, singularOf } from '../text/presentation.ts';
import { lowerCaseFirst, translate } from '../text/translate.ts';
import { ConfirmDialog } from '../widgets/ConfirmDialog.tsx';
import { EditError } from '../widgets/LoadError.tsx';
import { PageActions } from '../widgets/PageActions.tsx';
import { useUndoToast } from '../widgets/useUndoToast.tsx';
import { FormFields, readOnceOptions, WhenLoaded } from './FormFields.tsx';

/** Creates a row of any resource. If the response contains a secret, the secret is shown first. */
export function ResourceCreate() {
  const description = useDescription();
  const notify = useNotify();
  const redirect = useRedirect();
  const [made, setMade] = useState<{ id: string; secrets: [string, string][] }>();
  const saved = useRef(false);

  function openRow(id: string) {
    setMade(undefined);
    redirect(description.operations.has('find') ? 'show' : 'list', description.name, id);
  }

  return (
    <>
      <Create
        title={translate('New {thing}', { thing: lowerCaseFirst(singularOf(description)) })}
        transform={(data: Record<string, unknown>) => withoutEmptyScopes(description, data)}
        mutationOptions={{
          onSuccess: (row) => {
            saved.current = true;
            const secrets = secretsIn(row);
            if (secrets.length > 0) return setMade({ id: row.id, secrets });
            notify(translate('{thing} created.', { thing: singularOf(description) }), { type: 'success' });
            openRow(row.id);
          },
        }}
      >
        <SimpleForm noValidate sanitizeEmptyValues toolbar={<FormToolbar isNew />}>
          <UnsavedChanges saved={saved} />
          <FormFields isNew />
        </SimpleForm>
      </Create>
      {made && <RevealedSecrets secrets={made.secrets} onClose={() => openRow(made.id)} />}
    </>
  );
}

/** A new client without scopes gets the default scopes of its type from the service. */
function withoutEmptyScopes({ name }: ResourceDescription, { scopes, ...data }: Record<string, unknown>) {
  return name === 'clients' && (!Array.isArray(scopes) || scopes.length === 0) ? data : { ...data, scopes };
}

/** Changes a row of any resource. If another person has changed it meanwhile, the person chooses field by field. */
export function ResourceEdit() {
  const description = useDescription();
  const { name, operations } = description;
  const then = operations.has('find') ? 'show' : 'list';
  const notify = useNotify();
  const redirect = useRedirect();
  const dataProvider = useDataProvider();
  const undoToast = useUndoToast();
  const saved = useRef(false);
  function leave(id: Identifier) {
    saved.current = true;
    redirect(then, name, id);
  }
  const { onError, dialog } = useConflict(leave);
  return (
    <>
      <Edit
        mutationMode="pessimistic"
        title={<EditTitle />}
        actions={<EditActions />}
        error={<EditError />}
        queryOptions={readOnceOptions}
        mutationOptions={{
          onError,
          onSuccess: (row, { previousData }) => {
            const before = undoableFields(description, previousData ?? {}, row);
            const message = translate('{thing} saved.', { thing: singularOf(description) });
            const undo = () =>
              dataProvider.update(name, { id: row.id, data: { ...row, ...before }, previousData: row });
            if (Object.keys(before).length > 0) undoToast(message, undo);
            else notify(message, { type: 'success' });
            leave(row.id);
          },
        }}
      >
        <WhenLoaded>
          <SimpleForm noValidate sanitizeEmptyValues toolbar={<FormToolbar />}>
            <UnsavedChanges saved={saved} />
            <ConflictWarning saved={saved} />
            <FormFields />
          </SimpleForm>
        </WhenLoaded>
      </Edit>
      {dialog}
    </>
  );
}

type Row = Record<string, unknown>;

/** The earlier values of the fields that a save changed, if they can be written again. */
const undoableFields = ({ fields }: ResourceDescription, before: Row, after: Row): Row =>
  Object.fromEntries(
    fields
      .filter(({ readOnly, immutable, writeOnly }) => !readOnly && !immutable && !writeOnly)
      .map(({ name }) => [name, before[name]])
      .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(after[String(name)])),
  );

function FormToolbar({ isNew = false }) {
  return (
    <Toolbar sx={{ gap: 1 }}>
      <SaveButton {...(isNew && { label: translate('Create'), alwaysEnable: true })} />
      <CancelButton />
      <Box sx={{ ml: 'auto' }}>{!isNew && <RemoveButton />}</Box>
    </Toolbar>
  );
}

/** Leaves the form. `UnsavedChanges` asks first if there are unsaved changes. */
function CancelButton() {
  const { name, operations } = useDescription();
  const row = useRecordContext();
  const redirect = useRedirect();
  const leaveForm = () => redirect(row && operations.has('find') ? 'show' : 'list', name, row?.id);
  return (
    <Button color="inherit" onClick={leaveForm}>
      {translate('Cancel')}
    </Button>
  );
}

function EditActions() {
  const { operations } = useDescription();
  return <PageActions>{operations.has('find') && <ShowButton />}</PageActions>;
}

function EditTitle() {
  const description = useDescription();
  const row = useRecordContext();
  return <span>{row ? translate('Edit {row}', { row: rowName(description, row) }) : ''}</span>;
}

/** Asks before the person leaves a form with unsaved changes. `saved` is true after the form was saved. */
function UnsavedChanges({ saved }: { saved: RefObject<boolean> }) {
  const { dirtyFields } = useFormState();
  const isUnsaved = Object.keys(dirtyFields).length > 0;
  const { state, proceed, reset } = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isUnsaved && !saved.current && currentLocation.pathname !== nextLocation.pathname,
  );

  // When the tab is closed or another page is opened, the browser shows its own question.
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isUnsaved]);

  if (state !== 'blocked') return null;
  return (
    <ConfirmDialog
      title={translate('Leave without saving?')}
      cancel={null}
      actions={
        <Button color="error" onClick={proceed}>
          {translate('Discard changes')}
        </Button>
      }
      confirm={translate('Keep editing')}
      onConfirm={reset}
      onClose={reset}
      maxWidth="xs"
    >
      {translate('Your changes are not saved yet.')}
    </ConfirmDialog>
  );
}
