import type { ComponentProps } from 'react';
import { Form, type FormProps } from 'react-admin';
import { AskDialog } from './AskDialog.tsx';

type Props = Omit<ComponentProps<typeof AskDialog>, 'form'> & { form: Omit<FormProps, 'children'> };

/** A dialog with react-admin's form. Its main button submits the form. */
export const FormDialog = ({ form, ...dialog }: Props) => (
  <AskDialog {...dialog} form={(content) => <Form {...form}>{content}</Form>} />
);
