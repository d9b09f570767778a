import { isUuid } from '../../../database/uuid.ts';
import { declareField, type ExactOptions, type Field, type FieldOptions } from './field.ts';
import { type FieldType, invalidValue, textValues } from './field-type.ts';

export const uuid = <const O extends FieldOptions<string> = Record<never, never>>(
  options?: ExactOptions<O, FieldOptions<string>>,
): Field<string, O> => declareField('uuid', options);

export const exampleId = '0199d0a0-7c00-7000-8000-000000000001';

export const uuidType: FieldType = {
  ...textValues,
  name: 'uuid',
  check: (value) => (typeof value === 'string' && isUuid(value) ? undefined : invalidValue('format', 'must be a UUID')),
  // The format alone allows capital letters.
  schema: () => ({ type: 'string', format: 'uuid', pattern: '^[0-9a-f-]+$', examples: [exampleId] }),
  fromSearch: (text) => (isUuid(text.toLowerCase()) ? text.toLowerCase() : undefined),
  expected: 'a UUID',
};
