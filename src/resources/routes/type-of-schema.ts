import type { JsonSchema } from '../../http/openapi/openapi-components.ts';
import { isObject } from '../../platform/is-object.ts';

const isName = /^[A-Za-z_$][\w$]*$/;
const literal = (value: unknown): string =>
  typeof value === 'string' && !/['\\\n\r\u2028\u2029]/.test(value) ? `'${value}'` : JSON.stringify(value);

export const member = (name: string): string => (isName.test(name) ? name : literal(name));

/** `'a' | 'b'`, or `never` without names. */
export const unionOf = (names: Iterable<string>): string => [...names].map(literal).join(' | ') || 'never';

/** The TypeScript type of a JSON schema. Schemas without an equivalent become `unknown`. */
export function typeOfSchema(schema: JsonSchema): string {
  const { const: only, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (only !== undefined) return literal(only);
  if (values) return values.map(literal).join(' | ') || 'never';
  const choice = anyOf ?? oneOf;
  if (choice) return alternatives(choice.map(typeOfSchema));
  if (allOf) return allOf.map((one) => grouped(typeOfSchema(one))).join(' & ') || 'unknown';
  if (typeof type === 'object') return alternatives(type.map((one) => typeOfSchema({ ...schema, type: one })));
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `${grouped(typeOfSchema(schema.items ?? {}))}[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

const alternatives = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never';
const grouped = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type);

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const needed = new Set(required);
  const members = Object.entries(properties).map(
    ([name, schema]) => `${member(name)}${needed.has(name) ? '' : '?'}: ${typeOfSchema(schema)}`,
  );
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  if (isObject(additionalProperties)) return `Record<string, ${typeOfSchema(additionalProperties)}>`;
  return additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>';
}
