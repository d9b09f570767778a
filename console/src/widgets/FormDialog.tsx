import type { ComponentProps } from 'react';
import { Form, type FormProps, useNotify } from 'react-admin';
import { reasonOf } from '../../../src/platform/errors.ts';
import { FormError } from '../data/form-error.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';

type Values = Record<string, unknown>;

interface Props extends Omit<ComponentProps<typeof ConfirmDialog>, 'form'> {
  form: Omit<FormProps, 'children' | 'onSubmit'>;
  onSubmit: (values: Values) => unknown;
}

/** A dialog with react-admin's form. Its main button submits the form. Errors of fields are shown beside the fields. */
export function FormDialog({ form, onSubmit, ...dialog }: Props) {
  const notify = useNotify();
  async function submit(values: Values) {
    try {
      await onSubmit(values);
    } catch (error) {
      if (error instanceof FormError && error.body.errors) return error.body.errors;
      notify(reasonOf(error), { type: 'error' });
    }
    return undefined;
  }
  return (
    <ConfirmDialog
      {...dialog}
      form={(content) => (
        <Form {...form} onSubmit={submit}>
          {content}
        </Form>
      )}
    />
  );
}
