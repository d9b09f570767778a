import { schemaNameKey } from '../../../src/http/named-schema.ts';
import type { Resource } from '../../../src/resources/model/resource.ts';
import type { Json } from './json-schema.ts';

/**
 * The name of a schema of a resource: `{cars}Input`. `extractComponents` replaces the part in braces by the component name of the resource,
 * which depends on the other resources.
 */
export const schemaName = ({ name }: Resource, ending = ''): string => `{${name}}${ending}`;

/** A reference to a schema of a resource. */
export const component = (resource: Resource, ending?: string): Json => ({
  [schemaNameKey]: schemaName(resource, ending),
});
