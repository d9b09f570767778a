import { Button } from '@mui/material';
import { useState } from 'react';
import { CheckboxGroupInput, Form, useDataProvider, useGetList, useRecordContext } from 'react-admin';
import { say } from '../text/say.ts';
import { AskDialog } from '../widgets/AskDialog.tsx';
import { useTask } from '../widgets/useTask.ts';
import { nameOf, type Person } from './person.ts';

/** Changes the roles of a person. */
export function RolesButton() {
  const person = useRecordContext<Person>();
  const [asking, setAsking] = useState(false);
  const dataProvider = useDataProvider();
  const { busy, run } = useTask();
  if (!person) return null;
  const { id, roles: before } = person;

  async function save({ roles }: { roles?: string[] }) {
    const change = { id, data: { roles: roles ?? [] }, previousData: { id, roles: before } };
    if (await run(() => dataProvider.update('users', change), say('The roles are changed.'))) setAsking(false);
  }

  return (
    <>
      <Button variant="outlined" size="small" onClick={() => setAsking(true)}>
        {say('Roles')}
      </Button>
      {asking && (
        <AskDialog
          title={say('Roles of {who}', { who: nameOf(person) })}
          confirm={say('Save roles')}
          maxWidth="xs"
          busy={busy}
          onClose={() => setAsking(false)}
          form={(content) => (
            <Form onSubmit={save} record={{ id, roles: before }}>
              {content}
            </Form>
          )}
        >
          <RoleChoice />
        </AskDialog>
      )}
    </>
  );
}

/** A check box for each role. */
export function RoleChoice() {
  const { data = [] } = useGetList<{ id: string; name: string; description?: string | null }>('roles', {
    pagination: { page: 1, perPage: 100 },
    sort: { field: 'name', order: 'ASC' },
  });
  const choices = data.map(({ name, description }) => ({
    id: name,
    name: description ? `${name}: ${description}` : name,
  }));
  return <CheckboxGroupInput source="roles" label={say('Roles')} choices={choices} row={false} helperText={false} />;
}
