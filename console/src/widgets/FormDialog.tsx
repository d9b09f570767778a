import { type ComponentProps, type RefObject, useRef, useState } from 'react';
import { Form, type FormProps, useNotify, useRefresh } from 'react-admin';
import { useFormState } from 'react-hook-form';
import { reasonOf } from '../../../src/platform/errors.ts';
import { FormError } from '../data/form-error.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { DialogButton } from './DialogButton.tsx';

type Values = Record<string, unknown>;

interface Props extends Omit<ComponentProps<typeof ConfirmDialog>, 'form' | 'keepsOpen' | 'busy'> {
  form?: Omit<FormProps, 'children' | 'onSubmit'>;
  /** Omitted if `CreateBase` or `EditBase` saves the row. Then neither Escape nor a click outside of the dialog discards the input. */
  onSubmit?: (values: Values) => unknown;
  /** The message after `onSubmit`. */
  successMessage?: string;
  /** True if other content replaces the dialog after `onSubmit`. Otherwise the dialog closes, and the page loads its data again. */
  isReplaced?: boolean;
}

/** A dialog with react-admin's form, or a question without fields. Its main button submits. Errors of fields are shown beside the fields. */
export function FormDialog({ form, onSubmit, successMessage, isReplaced, ...dialog }: Props) {
  const notify = useNotify();
  const refresh = useRefresh();
  const [busy, setBusy] = useState(false);
  const typed = useRef(false);
  async function submit(values: Values) {
    setBusy(true);
    try {
      await onSubmit?.(values);
      if (isReplaced) return undefined;
      if (successMessage !== undefined) notify(successMessage, { type: 'success' });
      refresh();
      dialog.onClose();
    } catch (error) {
      if (dialog.children && error instanceof FormError && error.body.errors) return error.body.errors;
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
      {...(!onSubmit && { keepsOpen: typed })}
      form={(content) => (
        <Form {...form} {...(onSubmit && { onSubmit: submit })}>
          <TrackInput typed={typed} />
          {content}
        </Form>
      )}
    />
  );
}

function TrackInput({ typed }: { typed: RefObject<boolean> }) {
  typed.current = Object.keys(useFormState().dirtyFields).length > 0;
  return null;
}

type ButtonProps = Pick<ComponentProps<typeof DialogButton>, 'label' | 'icon' | 'act'> & Partial<Props>;

/** A button that opens a dialog with a form or a question. The main button of the dialog has the same label, or the label `confirm`. */
export function FormButton({ label, icon, act, ...dialog }: ButtonProps) {
  const shown = { title: label, confirm: label, form: { record: {} }, ...dialog };
  return (
    <DialogButton
      {...{ label, icon, act, color: dialog.danger ? 'error' : undefined }}
      dialog={(close) => <FormDialog {...shown} onClose={close} />}
    />
  );
}
