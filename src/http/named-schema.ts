declare module 'fastify' {
  interface FastifySchema {
    /** The method call of the client for this operation, if it is shorter than `gatehouse.call`. `{body}` stands for the example body. */
    'x-client'?: string;
  }
}

export const schemaNameKey = 'x-component';

/**
 * Marks a schema. The OpenAPI document contains it once, under this name, and routes refer to it. `{users}` in a name stands for the schema
 * name of that resource's rows.
 */
export const namedSchema = <S extends object>(name: string, schema: S): S => ({ ...schema, [schemaNameKey]: name });
