import { type ReactNode, useRef } from 'react';
import { FormDataConsumer, useEditContext } from 'react-admin';
import { type FieldDescription, useDescription } from '../data/DescriptionsProvider.tsx';
import { hasField } from '../text/presentation.ts';
import { Input } from './Input.tsx';

/** The fields of a new row, or those of an existing row that can be changed, without the field `omit`. */
export function FormFields({ isNew = false, omit }: { isNew?: boolean; omit?: string | undefined }) {
  const isOffered = ({ name, immutable }: FieldDescription) => (isNew ? name !== 'current_password' : !immutable);
  return useDescription()
    .fields.filter((field) => !field.readOnly && field.name !== omit && isOffered(field))
    .map((field) => (
      // A write-only field of an existing row is not shown, so the person need not type it again.
      <FieldInput key={field.name} field={field.writeOnly && !isNew ? { ...field, required: false } : field} />
    ));
}

/** A form reads its row once, because a later version would overwrite the input. A conflict is shown when the form is saved. */
export const readOnceOptions = {
  onError: () => undefined,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;

/** Waits for the current version. If the form were shown with a cached version, the current one would overwrite the input. */
export function WhenLoaded({ children }: { children: ReactNode }) {
  const { isFetching } = useEditContext();
  const wasFresh = useRef(false);
  wasFresh.current ||= !isFetching;
  return wasFresh.current ? children : null;
}

/** The control of a field, if rows of this kind have the field. */
function FieldInput({ field }: { field: FieldDescription }) {
  const { name } = useDescription();
  return (
    <FormDataConsumer>
      {({ formData }) => (hasField(name, field.name, formData) ? <Input field={field} /> : null)}
    </FormDataConsumer>
  );
}
