import AddIcon from '@mui/icons-material/AddLink';
import RemoveIcon from '@mui/icons-material/LinkOff';
import { Dialog, DialogActions, DialogContent, DialogTitle, IconButton, Button as MuiButton } from '@mui/material';
import { useState } from 'react';
import { Button, Form, useNotify, useRecordContext, useRefresh } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { useDescriptions } from '../data/described.tsx';
import type { RelationDescription, ResourceDescription } from '../data/descriptions.ts';
import { RowInput } from '../forms/Input.tsx';
import { rowName, singularOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { within } from '../text/words.ts';

/** The links of a relation from many to many are rows themselves; whether this person may make and remove them. */
export function useLinks({ kind, through, from, to }: RelationDescription) {
  const links = useDescriptions().get(through ?? '');
  if (kind !== 'manyToMany' || !links || !from || !to) return undefined;
  const others = links.fields.some(
    ({ name, required, readOnly }) => required && !readOnly && name !== from && name !== to,
  );
  return {
    ...{ resource: links.name, from, to },
    canAdd: links.operations.has('create') && !others,
    canRemove: links.operations.has('delete'),
  };
}

type Links = NonNullable<ReturnType<typeof useLinks>>;

/** Ties a row that is there already to the one that is shown. */
export function AddLink({ links, target }: { links: Links; target: ResourceDescription }) {
  const row = useRecordContext();
  const notify = useNotify();
  const refresh = useRefresh();
  const [isOpen, setOpen] = useState(false);
  const one = singularOf(target);

  async function add({ chosen }: { chosen?: string }) {
    if (!chosen || !row) return;
    try {
      await gatehouse.resource(links.resource).create({ [links.from]: row.id, [links.to]: chosen });
      setOpen(false);
      notify(say('{thing} added.', { thing: one }), { type: 'success' });
      refresh();
    } catch (error) {
      notify((error as Error).message, { type: 'error' });
    }
  }

  return (
    <>
      <Button label={say('Add {thing}', { thing: within(one) })} onClick={() => setOpen(true)}>
        <AddIcon />
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} fullWidth maxWidth="xs" aria-labelledby="add-link">
        <DialogTitle id="add-link">{say('Add {thing}', { thing: within(one) })}</DialogTitle>
        <Form onSubmit={add} record={{}}>
          <DialogContent>
            <RowInput source="chosen" label={one} reference={target.name} />
          </DialogContent>
          <DialogActions>
            <MuiButton color="inherit" onClick={() => setOpen(false)}>
              {say('Cancel')}
            </MuiButton>
            <MuiButton type="submit" variant="contained">
              {say('Add')}
            </MuiButton>
          </DialogActions>
        </Form>
      </Dialog>
    </>
  );
}

/** Unties a row from the one that is shown. Neither of them goes. */
export function RemoveLink({ links, parent, target }: { links: Links; parent: string; target: ResourceDescription }) {
  const row = useRecordContext();
  const notify = useNotify();
  const refresh = useRefresh();
  if (!row) return null;

  async function remove() {
    const rows = gatehouse.resource<{ id: string }>(links.resource);
    try {
      const { data } = await rows.list({
        search: { [links.from]: parent, [links.to]: String(row?.id) },
        count: 'none',
      });
      for (const { id } of data) await rows.remove(id);
      notify(say('{thing} removed from here.', { thing: singularOf(target) }), { type: 'success' });
      refresh();
    } catch (error) {
      notify((error as Error).message, { type: 'error' });
    }
  }

  const label = say('Remove {row} from here', { row: rowName(target, row) });
  return (
    <IconButton size="small" aria-label={label} title={label} onClick={() => void remove()}>
      <RemoveIcon fontSize="small" />
    </IconButton>
  );
}
