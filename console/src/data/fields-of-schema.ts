import type { FieldDescription } from './field-description.ts';

/** The members of a JSON Schema that forms use. */
export interface Schema {
  type?: string;
  format?: string;
  pattern?: string;
  title?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  anyOf?: Schema[];
  const?: unknown;
  examples?: unknown[];
  default?: unknown;
}

/** The members of an action's body as fields. Members other than plain values and lists of strings are edited as JSON. */
export function fieldsOfSchema({ properties = {}, required = [] }: Schema = {}): FieldDescription[] {
  return Object.entries(properties).map(([name, property]) => {
    const { title, description, examples, default: preset } = property;
    const described = { label: title, description, default: preset, example: examples?.[0] };
    return { name, ...typeOf(property), ...described, required: required.includes(name) };
  });
}

function typeOf(property: Schema): Omit<FieldDescription, 'name'> {
  const { type, format, pattern, minimum, maximum, minLength, maxLength } = property;
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
      return listOf(property.items);
    default:
      return { type: 'json' };
  }
}

function listOf(items: Schema = {}): Omit<FieldDescription, 'name'> {
  const values = valuesOf(items);
  return values ? { type: 'list', values } : { type: items.type === 'string' ? 'list' : 'json' };
}

/** The strings of `enum: […]`, or of a union of literals: `anyOf: [{ const }, …]`. */
function valuesOf({ enum: listed, anyOf }: Schema): string[] | undefined {
  const values = listed ?? anyOf?.map((literal) => literal.const) ?? [];
  return values.length > 0 && values.every((value) => typeof value === 'string') ? values : undefined;
}
