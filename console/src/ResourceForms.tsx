import { useState } from 'react';
import {
  Create,
  Edit,
  FormDataConsumer,
  SaveButton,
  SimpleForm,
  Toolbar,
  useNotify,
  useRecordContext,
  useRedirect,
} from 'react-admin';
import { useDescription } from './described.tsx';
import type { FieldDescription, ResourceDescription } from './descriptions.ts';
import { Input } from './Input.tsx';
import { hasField, humanised, rowName } from './presentation.ts';
import { RemoveButton } from './RemoveButtons.tsx';
import { Revealed, secretsIn } from './Revealed.tsx';

/** Makes a row of any resource. A secret that the answer tells is shown before anything else happens. */
export function ResourceCreate() {
  const description = useDescription();
  const notify = useNotify();
  const redirect = useRedirect();
  const [made, setMade] = useState<{ id: string; secrets: [string, string][] }>();

  function leave(id: string) {
    setMade(undefined);
    redirect(description.operations.has('find') ? 'show' : 'list', description.name, id);
  }

  return (
    <>
      <Create
        title={`New ${description.singular}`}
        transform={(data: Record<string, unknown>) => withoutEmptyScopes(description, data)}
        mutationOptions={{
          onSuccess: (row) => {
            const secrets = secretsIn(row);
            if (secrets.length > 0) return setMade({ id: row.id, secrets });
            notify(`${humanised(description.singular)} created.`, { type: 'success' });
            leave(row.id);
          },
        }}
      >
        <SimpleForm
          noValidate
          sanitizeEmptyValues
          toolbar={
            <Toolbar>
              <SaveButton label="Create" alwaysEnable />
            </Toolbar>
          }
        >
          {description.fields
            .filter(({ readOnly, name }) => !readOnly && name !== 'current_password')
            .map((field) => (
              <InputWhereItIs key={field.name} field={field} />
            ))}
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

/** Changes a row of any resource; the service refuses when somebody else changed it meanwhile. */
export function ResourceEdit() {
  const description = useDescription();
  return (
    <Edit
      mutationMode="pessimistic"
      redirect={description.operations.has('find') ? 'show' : 'list'}
      title={<EditTitle />}
    >
      <SimpleForm noValidate sanitizeEmptyValues toolbar={<EditToolbar />}>
        {description.fields
          .filter(({ readOnly, immutable }) => !readOnly && !immutable)
          .map((field) => (
            // What is never shown need not be sent again.
            <InputWhereItIs key={field.name} field={field.writeOnly ? { ...field, required: false } : field} />
          ))}
      </SimpleForm>
    </Edit>
  );
}

/** The control of a field, for rows that have it. */
function InputWhereItIs({ field }: { field: FieldDescription }) {
  const { name } = useDescription();
  return (
    <FormDataConsumer>
      {({ formData }) => (hasField(name, field.name, formData) ? <Input field={field} /> : null)}
    </FormDataConsumer>
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
  return <span>{row ? `Edit ${rowName(description, row)}` : ''}</span>;
}
