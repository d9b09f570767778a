import type { FastifySchema } from 'fastify';
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

const prefix = '#/components/schemas/';

/** The name of the schema that a reference leads to. */
export const nameOfReference = ({ $ref }: { readonly $ref?: unknown }): string | undefined =>
  typeof $ref === 'string' && $ref.startsWith(prefix) ? $ref.slice(prefix.length) : undefined;

/** The schema itself, wherever it stands. */
export function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = nameOfReference(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

declare module 'fastify' {
  interface FastifySchema {
    /**
     * The client's call for the operation, if it is shorter than `gatehouse.call`. `{body}` is the example of its
     * body.
     */
    'x-client'?: string;
  }
}

/** The description of a route. */
export interface RouteDocs extends FastifySchema {
  readonly response: Readonly<Record<number, object | undefined>>;
}

const mark = 'x-component';

/** A schema that the document contains once, under this name, for all routes that use it. */
export const named = <S extends object>(name: string, schema: S): S => ({ ...schema, [mark]: name });

/** A reference to a schema in `documentParts(app).components`. */
export const component = (name: string): Json => ({ [mark]: name });

interface Parts {
  readonly components: Map<string, Json>;
  /** The tags with their descriptions, in reading order. */
  readonly tags: Map<string, string>;
}

const parts = new WeakMap<App, Parts>();

/** The schemas that routes refer to by name. */
export function documentParts(app: App): Parts {
  const known = parts.get(app) ?? { components: new Map(), tags: new Map() };
  parts.set(app, known);
  return known;
}

/** Moves named schemas to `components` and leaves references. Unreferenced schemas are omitted. */
export function extractComponents<P>(paths: P, known: ReadonlyMap<string, Json>): { paths: P; schemas: Schemas } {
  const schemas = new Map<string, unknown>();

  function moved(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(moved);
    if (!isObject(value)) return value;
    const { [mark]: name, ...rest } = value;
    if (typeof name !== 'string')
      return Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, moved(one)]));
    if (!schemas.has(name)) {
      // Before its content is processed, which may refer to it.
      schemas.set(name, undefined);
      schemas.set(name, moved(known.get(name) ?? rest));
    }
    return { $ref: prefix + name };
  }

  const described = moved(paths) as P;
  const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
  return { paths: described, schemas: Object.fromEntries(sorted) as Schemas };
}
