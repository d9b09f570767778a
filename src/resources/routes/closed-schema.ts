import type { TObject, TSchema } from 'typebox';

/** Refuses unknown members, unless the schema allows them. */
export function closedSchema<S extends TSchema>(schema: S): S {
  const { type, additionalProperties } = schema as unknown as Partial<TObject> & { additionalProperties?: unknown };
  return type === 'object' && additionalProperties === undefined ? { ...schema, additionalProperties: false } : schema;
}
