import { Button, Dialog, DialogActions, DialogContent, DialogTitle } from '@mui/material';
import { type ReactNode, type RefObject, useId, useRef, useState } from 'react';
import { CreateBase, EditBase, Form, useNotify, useRefresh } from 'react-admin';
import { useFormState } from 'react-hook-form';
import { useDescription } from '../data/described.tsx';
import { ChangeableFields, NewFields, readOnce, WhenFresh } from '../forms/FormFields.tsx';
import { useConflict } from '../forms/useConflict.tsx';
import { singularOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { within } from '../text/words.ts';
import { Revealed, secretsIn } from './RevealedSecrets.tsx';

interface Props {
  /** Of the row to be changed; none: a new one. */
  id?: string | undefined;
  /** What ties the row to the page that it is written from: a field, and its value. */
  tie: { field: string; value: unknown } | undefined;
  onClose: () => void;
}

/** A row of the resource that it stands in, made or changed over the page that is open. */
export default function RowDialog({ id, tie, onClose }: Props) {
  const description = useDescription();
  const notify = useNotify();
  const refresh = useRefresh();
  const saved = useRef(false);
  const [secrets, setSecrets] = useState<[string, string][]>([]);
  const thing = singularOf(description);
  const { onError, dialog } = useConflict({ leave: onClose, saved });

  const close = () => {
    refresh();
    onClose();
  };
  const onSuccess = (row: Record<string, unknown>) => {
    saved.current = true;
    notify(say(id === undefined ? '{thing} created.' : '{thing} saved.', { thing }), { type: 'success' });
    const revealed = secretsIn(row);
    if (revealed.length > 0) setSecrets(revealed);
    else close();
  };
  const options = { redirect: false, mutationOptions: { onSuccess, onError } } as const;

  if (secrets.length > 0) return <Revealed secrets={secrets} onClose={close} />;
  if (id === undefined) {
    const record = tie ? { [tie.field]: tie.value } : {};
    const transform = (data: object) => ({ ...data, ...record });
    return (
      <CreateBase {...options} record={record} transform={transform}>
        <FormDialog title={say('New {thing}', { thing: within(thing) })} send={say('Create')} onClose={onClose}>
          <NewFields but={tie?.field} />
        </FormDialog>
      </CreateBase>
    );
  }
  return (
    <>
      <EditBase {...options} id={id} mutationMode="pessimistic" queryOptions={readOnce}>
        <WhenFresh>
          <FormDialog title={say('Edit {row}', { row: within(thing) })} send={say('Save')} onClose={onClose}>
            <ChangeableFields but={tie?.field} />
          </FormDialog>
        </WhenFresh>
      </EditBase>
      {dialog}
    </>
  );
}

interface FormDialogProps {
  title: string;
  send: string;
  onClose: () => void;
  children: ReactNode;
}

function FormDialog({ title, send, onClose, children }: FormDialogProps) {
  const titleId = useId();
  const typed = useRef(false);
  // A click beside it, or Escape, takes nothing away that was typed.
  const leave = () => {
    if (!typed.current) onClose();
  };
  return (
    <Dialog open onClose={leave} fullWidth maxWidth="sm" aria-labelledby={titleId}>
      <DialogTitle id={titleId}>{title}</DialogTitle>
      <Form noValidate sanitizeEmptyValues>
        <Typed typed={typed} />
        <DialogContent>{children}</DialogContent>
        <DialogActions>
          <Button color="inherit" onClick={onClose}>
            {say('Cancel')}
          </Button>
          <Send label={send} />
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function Typed({ typed }: { typed: RefObject<boolean> }) {
  typed.current = Object.keys(useFormState().dirtyFields).length > 0;
  return null;
}

function Send({ label }: { label: string }) {
  const { isSubmitting } = useFormState();
  return (
    <Button type="submit" variant="contained" loading={isSubmitting}>
      {label}
    </Button>
  );
}
