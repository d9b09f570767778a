import { closestName } from '../../src/platform/closest-name.ts';
import { badRequest } from '../../src/platform/errors.ts';
import { asObject, isObject } from '../../src/platform/is-object.ts';
import type { Json } from '../openapi/document/json-schema.ts';

/** Not checked yet. */
export type RawArguments = Readonly<Record<string, unknown>>;

type Text = 'resource' | 'action' | 'id' | 'search' | 'orderBy' | 'if_match' | 'idempotency_key';
export type Arguments = RawArguments &
  Readonly<Partial<Record<Text, string>>> & {
    readonly limit?: number;
    readonly values?: object;
    readonly body?: object;
  };

const isOfType: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  object: isObject,
};

/** Rejects unknown arguments and names the known ones, for the model. The API checks the values. */
export function checkArguments(
  { properties, required }: Json,
  callArguments: RawArguments,
): asserts callArguments is Arguments {
  const schemas = asObject(properties);
  for (const name of Array.isArray(required) ? required : [])
    if (callArguments[name] === undefined) throw badRequest(`"${name}" is missing.`);
  for (const [name, value] of Object.entries(callArguments)) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (!isObject(schema)) throw badRequest(`"${name}" is unknown.${choice(name, Object.keys(schemas))}`);
    const { type, enum: values, minimum, maximum } = schema;
    if (!isOfType[String(type)]?.(value))
      throw badRequest(`"${name}" takes ${type === 'string' ? 'text' : `an ${type}`}.`);
    if (Array.isArray(values) && !values.includes(value)) {
      throw badRequest(`"${name}" cannot be "${String(value).slice(0, 100)}".${choice(String(value), values)}`);
    }
    if (typeof value === 'number' && (value < Number(minimum) || value > Number(maximum))) {
      throw badRequest(`"${name}" is from ${minimum} to ${maximum}.`);
    }
  }
}

function choice(text: string, names: readonly string[]): string {
  const similarName = closestName(text, names);
  return `${similarName ? ` Did you mean "${similarName}"?` : ''} Expected one of: ${names.join(', ')}.`;
}
