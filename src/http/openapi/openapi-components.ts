import type { App } from '../app.ts';

export type Json = Record<string, unknown>;

declare module 'fastify' {
  interface FastifySchema {
    /** The client's call for it, where there is a shorter one than `gatehouse.call`. `{body}` is the example of its body. */
    'x-client'?: string;
  }
}

const mark = 'x-component';

/** A schema that stands in the document once, under this name, however many routes have it. */
export const named = <S extends object>(name: string, schema: S): S => ({ ...schema, [mark]: name });

/** In the place of a schema that was put among `partsOf(app).components`. */
export const component = (name: string): Json => ({ [mark]: name });

interface Parts {
  readonly components: Map<string, Json>;
  /** The tags with their descriptions, in reading order. */
  readonly tags: Map<string, string>;
}

const parts = new WeakMap<App, Parts>();

/** The schemas that routes refer to by name. */
export function partsOf(app: App): Parts {
  const known = parts.get(app) ?? { components: new Map(), tags: new Map() };
  parts.set(app, known);
  return known;
}

/** Moves named schemas to `components` and leaves references. Unreferenced schemas are omitted. */
export function gatherComponents(paths: Json, known: ReadonlyMap<string, Json>): { paths: Json; schemas: Json } {
  const schemas = new Map<string, unknown>();

  function moved(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(moved);
    if (typeof value !== 'object' || value === null) return value;
    const { [mark]: name, ...rest } = value as Json;
    if (typeof name !== 'string')
      return Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, moved(one)]));
    if (!schemas.has(name)) {
      // Before its own content is looked at, which may refer to it.
      schemas.set(name, undefined);
      schemas.set(name, moved(known.get(name) ?? rest));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  const described = moved(paths) as Json;
  const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
  return { paths: described, schemas: Object.fromEntries(sorted) };
}
