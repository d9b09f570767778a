import { schemaNameKey } from '../../../src/http/named-schema.ts';
import { isObject } from '../../../src/platform/is-object.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import { componentNames } from './component-names.ts';
import { type Json, type Schemas, schemaPrefix } from './json-schema.ts';
import { resourceComponents } from './resource-schemas.ts';

/** Moves named schemas to `components` and leaves references. Unreferenced schemas are omitted. */
export function extractComponents<P>(paths: P, resources: Resources): { paths: P; schemas: Schemas } {
  const named = [...resources.values()].flatMap(resourceComponents);
  const schemaNames = new Set(named.map(([name]) => name));
  addSchemaNames(paths, schemaNames);
  const names = componentNames(resources, schemaNames);
  const fullName = (name: string) => name.replace(/^\{(.+)\}/, (_, resource: string) => names.get(resource) ?? '');
  const resourceSchemas = new Map(named.map(([name, schema]) => [fullName(name), schema]));
  const schemas = new Map<string, unknown>();

  function extract(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(extract);
    if (!isObject(value)) return value;
    const { [schemaNameKey]: markedName, ...rest } = value;
    if (typeof markedName !== 'string')
      return Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, extract(member)]));
    const name = fullName(markedName);
    if (!schemas.has(name)) {
      // Set before its content is processed, because the content may refer to the schema.
      schemas.set(name, undefined);
      schemas.set(name, extract(resourceSchemas.get(name) ?? rest));
    }
    return { $ref: schemaPrefix + name };
  }

  const extractedPaths = extract(paths) as P;
  const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
  return { paths: extractedPaths, schemas: Object.fromEntries(sorted) as Schemas };
}

function addSchemaNames(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const name = (value as Json)[schemaNameKey];
  if (typeof name === 'string') names.add(name);
  for (const member of Object.values(value)) addSchemaNames(member, names);
}
