import { type ComponentProps, type RefObject, useRef, useState } from 'react';
import { Form, type FormProps, useNotify, useRefresh } from 'react-admin';
import { useFormState } from 'react-hook-form';
import { reasonOf } from '../../../src/platform/errors.ts';
import { FormError } from '../data/form-error.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';

type Values = Record<string, unknown>;

interface Props extends Omit<ComponentProps<typeof ConfirmDialog>, 'form' | 'keeps' | 'busy'> {
  form?: Omit<FormProps, 'children' | 'onSubmit'>;
  /** Omitted if `CreateBase` or `EditBase` saves the row. Then neither Escape nor a click outside of the dialog discards the input. */
  onSubmit?: (values: Values) => unknown;
  /** The message after `onSubmit`. Then the page reads its data again, and the dialog closes. */
  successMessage?: string;
}

/** A dialog with react-admin's form. Its main button submits the form. Errors of fields are shown beside the fields. */
export function FormDialog({ form, onSubmit, successMessage, ...dialog }: Props) {
  const notify = useNotify();
  const refresh = useRefresh();
  const [busy, setBusy] = useState(false);
  const typed = useRef(false);
  async function submit(values: Values) {
    setBusy(true);
    try {
      await onSubmit?.(values);
      if (successMessage === undefined) return undefined;
      notify(successMessage, { type: 'success' });
      refresh();
      dialog.onClose();
    } catch (error) {
      if (error instanceof FormError && error.body.errors) return error.body.errors;
      notify(reasonOf(error), { type: 'error' });
    } finally {
      setBusy(false);
    }
    return undefined;
  }
  return (
    <ConfirmDialog
      {...dialog}
      busy={busy}
      {...(!onSubmit && { keeps: typed })}
      form={(content) => (
        <Form {...form} {...(onSubmit && { onSubmit: submit })}>
          <Typed typed={typed} />
          {content}
        </Form>
      )}
    />
  );
}

function Typed({ typed }: { typed: RefObject<boolean> }) {
  typed.current = Object.keys(useFormState().dirtyFields).length > 0;
  return null;
}
