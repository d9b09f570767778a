import { Button, Dialog, DialogActions, DialogContent, DialogTitle, MenuItem, TextField } from '@mui/material';
import { useCallback, useState } from 'react';
import { Form } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';
import { Input } from '../forms/Input.tsx';
import { counted, fieldLabel } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { within } from '../text/words.ts';
import { BulkWork } from './BulkWork.tsx';
import type { Operation } from './packed.ts';
import type { Row, Selection } from './selected-rows.ts';

interface Props {
  selection: Selection;
  total: number;
  onClose: () => void;
}

/** What many rows can have the same value of. */
export const sharedFields = ({ fields }: ResourceDescription): FieldDescription[] =>
  fields.filter(({ readOnly, immutable, unique, writeOnly }) => !readOnly && !immutable && !unique && !writeOnly);

/** Gives all that is selected one value of one field. */
export function BulkUpdate({ selection, total, onClose }: Props) {
  const description = useDescription();
  const fields = sharedFields(description);
  const [field, setField] = useState(fields[0]);
  const [changes, setChanges] = useState<Record<string, unknown>>();
  const what = counted(total, description);
  const change = useCallback(({ id }: Row): Operation => ({ operation: 'update', id, data: changes ?? {} }), [changes]);
  if (changes) {
    const done = (count: string) => say('{what} changed', { what: count });
    return (
      <BulkWork
        doing={say('Changing {what}', { what })}
        operationOf={change}
        {...{ done, selection, total, onClose }}
      />
    );
  }
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="bulk-update">
      <DialogTitle id="bulk-update">{say('Change {what}', { what })}</DialogTitle>
      {field && (
        <Form
          key={field.name}
          onSubmit={(values: Record<string, unknown>) => setChanges({ [field.name]: values[field.name] ?? null })}
          defaultValues={{}}
        >
          <DialogContent>
            <TextField
              select
              label={say('Field')}
              value={field.name}
              onChange={({ target }) => setField(fields.find(({ name }) => name === target.value))}
            >
              {fields.map((one) => (
                <MenuItem key={one.name} value={one.name}>
                  {fieldLabel(one)}
                </MenuItem>
              ))}
            </TextField>
            <Input field={{ ...field, label: say('New {thing}', { thing: within(fieldLabel(field)) }) }} />
          </DialogContent>
          <DialogActions>
            <Button color="inherit" onClick={onClose}>
              {say('Cancel')}
            </Button>
            <Button type="submit" variant="contained">
              {say('Change {what}', { what })}
            </Button>
          </DialogActions>
        </Form>
      )}
    </Dialog>
  );
}
