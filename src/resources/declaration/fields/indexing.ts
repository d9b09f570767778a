import type { Field } from './field.ts';
import { fieldTypeOf } from './field-types.ts';
import { indexableMax } from './text.ts';

export const isTooLongToIndex = (field: Field) => (fieldTypeOf(field).maxLength?.(field.options) ?? 0) > indexableMax;

export function isIndexed(field: Field): boolean {
  const { indexing } = fieldTypeOf(field);
  const { searchable, sortable } = field.options;
  return indexing === 'always' || (indexing === 'declared' && !!(searchable || sortable) && !isTooLongToIndex(field));
}
