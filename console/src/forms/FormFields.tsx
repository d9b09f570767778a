import { type ReactNode, useRef } from 'react';
import { FormDataConsumer, useEditContext } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import type { FieldDescription } from '../data/descriptions.ts';
import { hasField } from '../text/presentation.ts';
import { Input } from './Input.tsx';

/** What a new row takes; `but` is given otherwise. */
export function NewFields({ but }: { but?: string | undefined }) {
  return useDescription()
    .fields.filter(({ readOnly, name }) => !readOnly && name !== 'current_password' && name !== but)
    .map((field) => <InputWhereItIs key={field.name} field={field} />);
}

/** What can be changed of a row. */
export function ChangeableFields({ but }: { but?: string | undefined }) {
  return useDescription()
    .fields.filter(({ readOnly, immutable, name }) => !readOnly && !immutable && name !== but)
    .map((field) => (
      // What is never shown need not be sent again.
      <InputWhereItIs key={field.name} field={field.writeOnly ? { ...field, required: false } : field} />
    ));
}

/** Of the row that a form shows: read once, since what arrives later would overwrite what was typed. A conflict is seen when it is saved. */
export const readOnce = {
  onError: () => undefined,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;

/** A version that arrives later would overwrite what was typed into the one that was remembered. */
export function WhenFresh({ children }: { children: ReactNode }) {
  const { isFetching } = useEditContext();
  const wasFresh = useRef(false);
  wasFresh.current ||= !isFetching;
  return wasFresh.current ? children : null;
}

/** The control of a field, for rows that have it. */
function InputWhereItIs({ field }: { field: FieldDescription }) {
  const { name } = useDescription();
  return (
    <FormDataConsumer>
      {({ formData }) => (hasField(name, field.name, formData) ? <Input field={field} /> : null)}
    </FormDataConsumer>
  );
}
