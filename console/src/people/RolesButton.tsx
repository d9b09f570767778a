import {
  Button,
  Checkbox,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  FormControlLabel,
  FormGroup,
} from '@mui/material';
import { useId, useState } from 'react';
import { useDataProvider, useGetList, useNotify, useRecordContext, useRefresh } from 'react-admin';
import { say } from '../text/say.ts';
import type { Person } from './person.ts';

/** Gives a person roles, and takes them away. */
export function RolesButton() {
  const person = useRecordContext<Person>();
  const [roles, setRoles] = useState<string[]>();
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const refresh = useRefresh();
  const id = useId();
  if (!person) return null;

  async function save() {
    try {
      const { id, roles: before } = person as Person;
      await dataProvider.update('users', { id, data: { roles }, previousData: { id, roles: before } });
      notify(say('The roles are changed.'), { type: 'success' });
      setRoles(undefined);
      refresh();
    } catch (error) {
      notify((error as Error).message, { type: 'error' });
    }
  }

  return (
    <>
      <Button variant="outlined" size="small" onClick={() => setRoles(person.roles)}>
        {say('Roles')}
      </Button>
      <Dialog
        open={roles !== undefined}
        onClose={() => setRoles(undefined)}
        aria-labelledby={id}
        maxWidth="xs"
        fullWidth
      >
        <DialogTitle id={id}>
          {say('Roles of {who}', { who: person.name ?? person.email ?? person.username ?? person.phone })}
        </DialogTitle>
        <DialogContent>{roles && <RoleChoice chosen={roles} onChange={setRoles} />}</DialogContent>
        <DialogActions>
          <Button onClick={() => setRoles(undefined)}>{say('Cancel')}</Button>
          <Button variant="contained" onClick={() => void save()}>
            {say('Save roles')}
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}

/** Check boxes for all roles that there are. */
export function RoleChoice({ chosen, onChange }: { chosen: string[]; onChange: (roles: string[]) => void }) {
  const { data = [] } = useGetList<{ id: string; name: string; description?: string | null }>('roles', {
    pagination: { page: 1, perPage: 100 },
    sort: { field: 'name', order: 'ASC' },
  });
  return (
    <FormGroup>
      {data.map(({ id, name, description }) => (
        <FormControlLabel
          key={id}
          label={description ? `${name}: ${description}` : name}
          control={
            <Checkbox
              checked={chosen.includes(name)}
              slotProps={{ input: { 'aria-label': name } }}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, name] : chosen.filter((role) => role !== name))
              }
            />
          }
        />
      ))}
    </FormGroup>
  );
}
