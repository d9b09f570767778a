export type Json = Record<string, unknown>;

/** The members of a JSON Schema that this service reads. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Schemas;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly 'x-unique-together'?: readonly (readonly string[])[];
  readonly [member: string]: unknown;
}

export type Schemas = Readonly<Record<string, JsonSchema>>;

export const schemaPrefix = '#/components/schemas/';

export const nameOfReference = ({ $ref }: { readonly $ref?: unknown }): string | undefined =>
  typeof $ref === 'string' && $ref.startsWith(schemaPrefix) ? $ref.slice(schemaPrefix.length) : undefined;

export function resolveReference(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = nameOfReference(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}
