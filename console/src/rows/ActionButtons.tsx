import { Dialog, DialogActions, DialogContent, DialogTitle, Button as MuiButton, Typography } from '@mui/material';
import { useState } from 'react';
import { Form, useDataProvider, useNotify, useRecordContext, useRefresh } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import type { ActionDescription } from '../data/descriptions.ts';
import { FormError } from '../data/form-error.ts';
import { Input } from '../forms/Input.tsx';
import { humanised, isOwn, rowName } from '../text/presentation.ts';
import { say } from '../text/say.ts';

/** A button for each action that an operator declared on the row. */
export function ActionButtons() {
  const description = useDescription();
  if (isOwn(description)) return null;
  return description.actions
    .filter(({ on }) => on === 'row')
    .map((action) => <ActionButton key={action.name} action={action} />);
}

function ActionButton({ action: { name, summary, fields } }: { action: ActionDescription }) {
  const description = useDescription();
  const row = useRecordContext();
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const refresh = useRefresh();
  const [asking, setAsking] = useState(false);
  if (!row) return null;
  const word = say(humanised(name));

  async function act(values: Record<string, unknown>) {
    const given = Object.fromEntries(
      fields
        .map((field) => [field.name, values[field.name]])
        .filter(([, value]) => value !== undefined && value !== null),
    );
    try {
      await dataProvider.act(description.name, { id: row?.id, action: name, body: given });
      setAsking(false);
      notify(say('{action}: done.', { action: word }), { type: 'success' });
      refresh();
    } catch (error) {
      // What is wrong with a field is said at the field.
      if (error instanceof FormError && error.body.errors) return error.body.errors;
      notify((error as Error).message, { type: 'error' });
    }
    return undefined;
  }

  return (
    <>
      {/* It has no icon that could stand for it on a phone. */}
      <MuiButton size="small" onClick={() => setAsking(true)}>
        {word}
      </MuiButton>
      <Dialog open={asking} onClose={() => setAsking(false)} fullWidth maxWidth="sm" aria-labelledby={`action-${name}`}>
        <DialogTitle id={`action-${name}`}>
          {say('{action}: {row}', { action: word, row: rowName(description, row) })}
        </DialogTitle>
        <Form onSubmit={act} record={{}} defaultValues={{}}>
          <DialogContent>
            <Typography sx={{ color: 'text.secondary', mb: 1 }}>{say(summary)}</Typography>
            {fields.map((field) => (
              <Input key={field.name} field={field} />
            ))}
          </DialogContent>
          <DialogActions>
            <MuiButton color="inherit" onClick={() => setAsking(false)}>
              {say('Cancel')}
            </MuiButton>
            <MuiButton type="submit" variant="contained">
              {fields.length === 0 ? say('Confirm') : word}
            </MuiButton>
          </DialogActions>
        </Form>
      </Dialog>
    </>
  );
}
