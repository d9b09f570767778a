import { isObject } from '../../../src/platform/is-object.ts';
import type { JsonSchema } from '../document/json-schema.ts';

const namePattern = /^[A-Za-z_$][\w$]*$/;
const literal = (value: unknown): string =>
  typeof value === 'string' && !/['\\\n\r\u2028\u2029]/.test(value) ? `'${value}'` : JSON.stringify(value);

export const propertyName = (name: string): string => (namePattern.test(name) ? name : literal(name));

/** `'a' | 'b'`, or `never` without names. */
export const unionOf = (names: Iterable<string>): string => [...names].map(literal).join(' | ') || 'never';

/** The TypeScript type of a JSON schema. Schemas without an equivalent become `unknown`. */
export function typeOfSchema(schema: JsonSchema): string {
  const { const: constant, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (constant !== undefined) return literal(constant);
  if (values) return values.map(literal).join(' | ') || 'never';
  const alternativeSchemas = anyOf ?? oneOf;
  if (alternativeSchemas) return joinUnion(alternativeSchemas.map(typeOfSchema));
  if (allOf) return allOf.map((part) => parenthesized(typeOfSchema(part))).join(' & ') || 'unknown';
  if (typeof type === 'object') return joinUnion(type.map((typeName) => typeOfSchema({ ...schema, type: typeName })));
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `${parenthesized(typeOfSchema(schema.items ?? {}))}[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

const joinUnion = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never';
const parenthesized = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type);

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const requiredNames = new Set(required);
  const members = Object.entries(properties).map(
    ([name, schema]) => `${propertyName(name)}${requiredNames.has(name) ? '' : '?'}: ${typeOfSchema(schema)}`,
  );
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  if (isObject(additionalProperties)) return `Record<string, ${typeOfSchema(additionalProperties)}>`;
  return additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>';
}
