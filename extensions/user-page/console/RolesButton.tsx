import { Checkbox, FormControlLabel, FormGroup } from '@mui/material';
import { useDataProvider, useGetList, useInput, useRecordContext } from 'react-admin';
import { nameOf, type Person } from '../../../console/src/rows/PersonColumns.tsx';
import { translate } from '../../../console/src/text/translate.ts';
import { FormButton } from '../../../console/src/widgets/FormDialog.tsx';

/** Changes the roles of a person. */
export function RolesButton() {
  const person = useRecordContext<Person>();
  const dataProvider = useDataProvider();
  if (!person) return null;
  const { id, roles: before } = person;
  const save = ({ roles }: { roles?: string[] }) =>
    dataProvider.update('users', { id, data: { roles: roles ?? [] }, previousData: { id, roles: before } });
  return (
    <FormButton
      label={translate('Roles')}
      title={translate('Roles of {who}', { who: nameOf(person) })}
      confirm={translate('Save roles')}
      maxWidth="xs"
      onSubmit={save}
      successMessage={translate('The roles were changed.')}
      form={{ record: { id, roles: before } }}
    >
      <RoleChoice />
    </FormButton>
  );
}

/** A check box for each role, in a form with the field `roles`. */
export function RoleChoice() {
  const { field } = useInput({ source: 'roles', defaultValue: [] });
  const chosen = (field.value ?? []) as string[];
  const { data = [] } = useGetList<{ id: string; name: string; description?: string | null }>('roles', {
    pagination: { page: 1, perPage: 100 },
    sort: { field: 'name', order: 'ASC' },
  });
  return (
    <FormGroup aria-label={translate('Roles')}>
      {data.map(({ id, name, description }) => (
        <FormControlLabel
          key={id}
          label={description ? `${name}: ${description}` : name}
          control={
            <Checkbox
              checked={chosen.includes(name)}
              slotProps={{ input: { 'aria-label': name } }}
              onChange={({ target }) =>
                field.onChange(target.checked ? [...chosen, name] : chosen.filter((role) => role !== name))
              }
            />
          }
        />
      ))}
    </FormGroup>
  );
}
