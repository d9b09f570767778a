type Raw = Record<string, unknown>;

/** The members of an action's body, in the words that fields are described in. What is no plain value is JSON. */
export function fieldsOfSchema(schema: Raw | undefined): [string, Raw][] {
  const required = new Set((schema?.required as string[] | undefined) ?? []);
  return Object.entries((schema?.properties as Record<string, Raw> | undefined) ?? {}).map(([name, property]) => [
    name,
    {
      ...typeOf(property),
      label: property.title,
      required: required.has(name),
      default: property.default,
      ...saidOf(property),
    },
  ]);
}

const saidOf = ({ description, examples }: Raw): Raw => ({
  description,
  example: Array.isArray(examples) ? examples[0] : undefined,
});

function typeOf(property: Raw): Raw {
  const { type, format, minimum, maximum, minLength, maxLength, pattern } = property;
  const values = valuesOf(property);
  if (values) return { type: 'enum', values };
  switch (type) {
    case 'integer':
    case 'number':
      return { type, min: minimum, max: maximum };
    case 'boolean':
      return { type };
    case 'string':
      if (format === 'date') return { type: 'date' };
      if (format === 'date-time') return { type: 'timestamp' };
      return { type: 'text', min: minLength, max: maxLength, pattern };
    case 'array':
      return listOf(property.items as Raw | undefined);
    default:
      return { type: 'json' };
  }
}

function listOf(items: Raw | undefined): Raw {
  const values = items && valuesOf(items);
  if (values) return { type: 'list', values };
  return { type: items?.type === 'string' ? 'list' : 'json' };
}

/** `enum: […]`, or what a union of literals is written as: `anyOf: [{ const }, …]`. */
function valuesOf({ enum: listed, anyOf }: Raw): string[] | undefined {
  const values = Array.isArray(listed) ? listed : Array.isArray(anyOf) ? anyOf.map((one: Raw) => one.const) : [];
  return values.length > 0 && values.every((value) => typeof value === 'string') ? values : undefined;
}
