import type { FastifySchema, RouteOptions } from 'fastify';
import { isObject } from '../../platform/is-object.ts';
import type { App } from '../app.ts';

export type Json = Record<string, unknown>;

/** The members of a JSON Schema that this service reads. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Schemas;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly 'x-unique-together'?: readonly (readonly string[])[];
  readonly [member: string]: unknown;
}

export type Schemas = Readonly<Record<string, JsonSchema>>;

const schemaPrefix = '#/components/schemas/';

export const nameOfReference = ({ $ref }: { readonly $ref?: unknown }): string | undefined =>
  typeof $ref === 'string' && $ref.startsWith(schemaPrefix) ? $ref.slice(schemaPrefix.length) : undefined;

export function resolveReference(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = nameOfReference(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

/** `car-part` → `CarPart`. */
export const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('');

declare module 'fastify' {
  interface FastifySchema {
    /** The method call of the client for this operation, if it is shorter than `gatehouse.call`. `{body}` stands for the example body. */
    'x-client'?: string;
  }
}

export interface RouteDocs extends FastifySchema {
  readonly response: Readonly<Record<number, object | undefined>>;
}

const nameKey = 'x-component';

/** Marks a schema. The document contains it once, under this name, and routes refer to it. */
export const namedSchema = <S extends object>(name: string, schema: S): S => ({ ...schema, [nameKey]: name });

/** A reference to one of the schemas of `documentParts(app).components`. */
export const component = (name: string): Json => ({ [nameKey]: name });

interface Parts {
  readonly routes: RouteOptions[];
  /** Return the named schemas that routes refer to. */
  readonly components: (() => Iterable<readonly [name: string, schema: Json]>)[];
  /** The tags with their descriptions, in reading order. */
  readonly tags: Map<string, string>;
}

const partsByApp = new WeakMap<App, Parts>();

export function documentParts(app: App): Parts {
  const parts = partsByApp.get(app) ?? { routes: [], components: [], tags: new Map() };
  partsByApp.set(app, parts);
  return parts;
}

/** Moves named schemas to `components` and leaves references. Unreferenced schemas are omitted. */
export function extractComponents<P>(
  paths: P,
  namedSchemas: ReadonlyMap<string, Json>,
): { paths: P; schemas: Schemas } {
  const schemas = new Map<string, unknown>();

  function extract(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(extract);
    if (!isObject(value)) return value;
    const { [nameKey]: name, ...rest } = value;
    if (typeof name !== 'string')
      return Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, extract(member)]));
    if (!schemas.has(name)) {
      // Set before its content is processed, because the content may refer to the schema.
      schemas.set(name, undefined);
      schemas.set(name, extract(namedSchemas.get(name) ?? rest));
    }
    return { $ref: schemaPrefix + name };
  }

  const extractedPaths = extract(paths) as P;
  const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
  return { paths: extractedPaths, schemas: Object.fromEntries(sorted) as Schemas };
}
