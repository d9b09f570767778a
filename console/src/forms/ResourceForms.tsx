import { useRef, useState } from 'react';
import { Create, Edit, SaveButton, SimpleForm, Toolbar, useNotify, useRecordContext, useRedirect } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import type { ResourceDescription } from '../data/descriptions.ts';
import { RemoveButton } from '../rows/RemoveButtons.tsx';
import { Revealed, secretsIn } from '../rows/RevealedSecrets.tsx';
import { rowName, singularOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { within } from '../text/words.ts';
import { EditAway } from '../widgets/LoadError.tsx';
import { ChangeableFields, NewFields, readOnce, WhenFresh } from './FormFields.tsx';
import { UnsavedChanges } from './UnsavedChanges.tsx';
import { useConflict } from './useConflict.tsx';

/** Makes a row of any resource. A secret that the answer tells is shown before anything else happens. */
export function ResourceCreate() {
  const description = useDescription();
  const notify = useNotify();
  const redirect = useRedirect();
  const [made, setMade] = useState<{ id: string; secrets: [string, string][] }>();
  const saved = useRef(false);

  function leave(id: string) {
    setMade(undefined);
    redirect(description.operations.has('find') ? 'show' : 'list', description.name, id);
  }

  return (
    <>
      <Create
        title={say('New {thing}', { thing: within(singularOf(description)) })}
        transform={(data: Record<string, unknown>) => withoutEmptyScopes(description, data)}
        mutationOptions={{
          onSuccess: (row) => {
            saved.current = true;
            const secrets = secretsIn(row);
            if (secrets.length > 0) return setMade({ id: row.id, secrets });
            notify(say('{thing} created.', { thing: singularOf(description) }), { type: 'success' });
            leave(row.id);
          },
        }}
      >
        <SimpleForm
          noValidate
          sanitizeEmptyValues
          toolbar={
            <Toolbar>
              <SaveButton label={say('Create')} alwaysEnable />
            </Toolbar>
          }
        >
          <UnsavedChanges saved={saved} />
          <NewFields />
        </SimpleForm>
      </Create>
      {made && <Revealed secrets={made.secrets} onClose={() => leave(made.id)} />}
    </>
  );
}

/** Of a client: none chosen are none said, and the service knows which go with its type. */
function withoutEmptyScopes({ name }: ResourceDescription, { scopes, ...data }: Record<string, unknown>) {
  return name === 'clients' && (!Array.isArray(scopes) || scopes.length === 0) ? data : { ...data, scopes };
}

/** Changes a row of any resource; where somebody else changed it meanwhile, the person chooses field by field. */
export function ResourceEdit() {
  const description = useDescription();
  const { name, operations } = description;
  const then = operations.has('find') ? 'show' : 'list';
  const notify = useNotify();
  const redirect = useRedirect();
  const saved = useRef(false);
  const { onError, dialog } = useConflict({ leave: (id) => redirect(then, name, id), saved });
  return (
    <>
      <Edit
        mutationMode="pessimistic"
        title={<EditTitle />}
        error={<EditAway />}
        queryOptions={readOnce}
        mutationOptions={{
          onError,
          onSuccess: (row) => {
            saved.current = true;
            notify(say('{thing} saved.', { thing: singularOf(description) }), { type: 'success' });
            redirect(then, name, row.id);
          },
        }}
      >
        <WhenFresh>
          <SimpleForm noValidate sanitizeEmptyValues toolbar={<EditToolbar />}>
            <UnsavedChanges saved={saved} />
            <ChangeableFields />
          </SimpleForm>
        </WhenFresh>
      </Edit>
      {dialog}
    </>
  );
}

function EditToolbar() {
  return (
    <Toolbar sx={{ justifyContent: 'space-between' }}>
      <SaveButton />
      <RemoveButton />
    </Toolbar>
  );
}

function EditTitle() {
  const description = useDescription();
  const row = useRecordContext();
  return <span>{row ? say('Edit {row}', { row: rowName(description, row) }) : ''}</span>;
}
