import type { Json } from './openapi-components.ts';

const deepest = 5;

/** A value that the schema takes, small enough to be read: of an object what it requires, or else its first member. */
export function exampleOf(schema: Json, schemas: Json, depth = 0): unknown {
  const { $ref, examples, example, enum: values, const: only, anyOf, oneOf, allOf, type, default: usual } = schema;
  if (typeof $ref === 'string') return exampleOf((schemas[$ref.split('/').at(-1) ?? ''] ?? {}) as Json, schemas, depth);
  const given = [example, Array.isArray(examples) ? examples[0] : undefined, only, usual].find(
    (value) => value !== undefined,
  );
  if (given !== undefined) return given;
  if (Array.isArray(values)) return values[0];
  const choice = anyOf ?? oneOf;
  if (Array.isArray(choice)) return exampleOf(choice[0] as Json, schemas, depth);
  if (Array.isArray(allOf)) {
    return Object.assign({}, ...(allOf as Json[]).map((part) => exampleOf(part, schemas, depth)));
  }
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return depth < deepest ? objectOf(schema, schemas, depth + 1) : {};
    case 'array':
      return [exampleOf((schema.items ?? {}) as Json, schemas, depth + 1)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'text';
  }
}

function objectOf({ properties = {}, required }: Json, schemas: Json, depth: number): Json {
  const members = Object.entries(properties as Record<string, Json>);
  const needed = members.filter(([name]) => Array.isArray(required) && required.includes(name));
  const chosen = needed.length > 0 ? needed : members.slice(0, 1);
  return Object.fromEntries(chosen.map(([name, member]) => [name, exampleOf(member, schemas, depth)]));
}
