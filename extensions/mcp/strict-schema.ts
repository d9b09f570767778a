import type { Json } from '../../src/http/openapi/openapi-components.ts';

/** Said beside several types, as they are about the value as a whole. */
const annotations = ['title', 'description', 'default', 'examples', 'enum', 'const'];
const rulesAmongThem = ['enum', 'const'];

/** Any value. MCP clients warn of a schema that says nothing of its value. */
const anyValue = ['object', 'array', 'string', 'number', 'boolean', 'null'].map((type) => ({ type }));

/**
 * A schema as strict validators take it, such as those of MCP clients: no keywords of this service's own, and one type where
 * several are possible.
 */
export function strictSchema(schema: Json): Json {
  const kept = Object.entries(schema).filter(([name]) => !name.startsWith('x-') && !name.startsWith('~'));
  const { type, ...rest } = Object.fromEntries(kept.map(([name, value]) => [name, within(name, value)])) as Json;
  if (type === undefined) {
    const isAny = Object.keys(rest).every((name) => annotations.includes(name) && !rulesAmongThem.includes(name));
    return isAny ? { anyOf: anyValue, ...rest } : rest;
  }
  if (!Array.isArray(type)) return { type, ...rest };
  const about = Object.entries(rest).filter(([name]) => annotations.includes(name));
  const rules = Object.fromEntries(Object.entries(rest).filter(([name]) => !annotations.includes(name)));
  const anyOf = type.map((one: string) => (one === 'null' ? { type: one } : { type: one, ...rules }));
  return { anyOf, ...Object.fromEntries(about) };
}

const isSchema = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function within(name: string, value: unknown): unknown {
  if (name === 'properties' && isSchema(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, strictSchema(inner as Json)]));
  }
  if (['items', 'additionalProperties', 'not'].includes(name) && isSchema(value)) return strictSchema(value);
  const isList = ['anyOf', 'oneOf', 'allOf'].includes(name) && Array.isArray(value);
  return isList ? value.map((inner: Json) => strictSchema(inner)) : value;
}
