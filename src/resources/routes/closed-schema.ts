import type { TSchema } from 'typebox';

/** Rejects unknown members, unless the schema allows them. */
export function closedSchema<S extends TSchema>(schema: S): S {
  const isOpen = 'type' in schema && schema.type === 'object' && !('additionalProperties' in schema);
  return isOpen ? { ...schema, additionalProperties: false } : schema;
}
