import type { TObject, TSchema } from 'typebox';

/** An object that nobody said to be open is closed: what is not known is refused, never ignored. */
export function closedSchema<S extends TSchema>(schema: S): S {
  const { type, additionalProperties } = schema as unknown as Partial<TObject> & { additionalProperties?: unknown };
  return type === 'object' && additionalProperties === undefined ? { ...schema, additionalProperties: false } : schema;
}
