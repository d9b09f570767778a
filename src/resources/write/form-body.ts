import type { TSchema } from 'typebox';
import { asObject } from '../../platform/is-object.ts';
import { readFlag } from '../declaration/fields/boolean.ts';

/** Converts the strings of a form to the types of a route's schema. A string that cannot be converted stays, and the schema rejects it. */
export function readForm(body: unknown, schema: TSchema): Record<string, unknown> {
  const properties = asObject(asObject(schema).properties);
  return Object.fromEntries(
    Object.entries(asObject(body)).map(([name, value]) => [
      name,
      typeof value === 'string' ? readText(value, asObject(properties[name]).type) : value,
    ]),
  );
}

function readText(text: string, type: unknown): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return readFlag(text) ?? text;
    case 'array':
      return text === '' ? [] : text.split(',');
    default:
      return text;
  }
}
