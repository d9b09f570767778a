import type { FieldDescription } from './field-description.ts';

type Schema = Record<string, unknown>;

/** The members of an action's body as fields. Members other than plain values and lists of strings are edited as JSON. */
export function fieldsOfSchema(schema: Schema | undefined): FieldDescription[] {
  const required = (schema?.required as string[] | undefined) ?? [];
  return Object.entries((schema?.properties ?? {}) as Record<string, Schema>).map(([name, property]) => {
    const { title, description, examples, default: preset } = property;
    const said = {
      label: title,
      description,
      default: preset,
      example: Array.isArray(examples) ? examples[0] : undefined,
    };
    return { name, ...typeOf(property), ...said, required: required.includes(name) } as FieldDescription;
  });
}

function typeOf(property: Schema): Partial<FieldDescription> {
  const { type, format, pattern } = property as Record<string, string>;
  const { minimum, maximum, minLength, maxLength } = property as Record<string, number>;
  const values = valuesOf(property);
  if (values) return { type: 'enum', values };
  switch (type) {
    case 'integer':
    case 'number':
      return { type, min: minimum, max: maximum };
    case 'boolean':
      return { type: 'boolean' };
    case 'string':
      if (format === 'date') return { type: 'date' };
      if (format === 'date-time') return { type: 'timestamp' };
      return { type: 'text', min: minLength, max: maxLength, pattern };
    case 'array':
      return listOf((property.items ?? {}) as Schema);
    default:
      return { type: 'json' };
  }
}

function listOf(items: Schema): Partial<FieldDescription> {
  const values = valuesOf(items);
  return values ? { type: 'list', values } : { type: items.type === 'string' ? 'list' : 'json' };
}

/** The strings of `enum: […]`, or of a union of literals: `anyOf: [{ const }, …]`. */
function valuesOf({ enum: listed, anyOf }: Schema): string[] | undefined {
  const values = (listed as unknown[] | undefined) ?? (anyOf as Schema[] | undefined)?.map((one) => one.const) ?? [];
  return values.length > 0 && values.every((value) => typeof value === 'string') ? values : undefined;
}
