import { Type } from 'typebox';
import { namedSchema } from '../../../src/http/named-schema.ts';

const textsByName = Type.Record(Type.String(), Type.String());
const rowsSchema = Type.Enum(['none', 'some', 'all']);
const byName = (description: string) =>
  Type.Record(Type.String(), Type.Object({}, { additionalProperties: true }), { description });

export const descriptionsSchema = namedSchema(
  'ResourceDescriptions',
  Type.Unsafe<unknown>(
    Type.Object({
      data: Type.Array(
        Type.Object(
          {
            name: Type.String(),
            singular: Type.String(),
            path: Type.String(),
            operations: Type.Array(Type.String()),
            scopes: textsByName,
            access: Type.Object({}, { additionalProperties: true, description: 'a word for each operation' }),
            readers: Type.Object(
              { everyone: rowsSchema, roles: Type.Record(Type.String(), rowsSchema) },
              {
                description:
                  'the number of rows (none, some or all) that a user without a role may read, and a user with each role',
              },
            ),
            fields: byName('the fields'),
            relations: byName('what include embeds'),
            actions: Type.Array(Type.Object({}, { additionalProperties: true })),
          },
          { additionalProperties: true },
        ),
      ),
    }),
  ),
);
