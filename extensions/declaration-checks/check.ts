import type { ReportMistake } from '../../src/resources/declaration/check-options.ts';
import type { ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import { isComputed } from '../../src/resources/declaration/fields/computed.ts';
import type { Fields } from '../../src/resources/declaration/fields/field.ts';

type Definitions = ReadonlyMap<string, ResourceDefinition>;

/** The roles and scopes that rules may name. Undefined: any name. */
export interface KnownNames {
  readonly roles?: readonly string[];
  readonly scopes?: readonly string[];
}

/** The declaration to check, and what its checks need to know. */
export interface Check {
  readonly definition: ResourceDefinition;
  readonly all: Definitions;
  readonly knownNames: KnownNames;
  readonly report: ReportMistake;
}

export const namePattern = /^[a-z][a-z0-9_]{0,39}$/;
export const pathNamePattern = /^[a-z][a-z0-9_-]{0,39}$/;

/** Converts a name to the notation of the API: `pageCount` becomes `page_count`. */
export const toSnakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();

export const storedNames = (fields: Fields): string[] =>
  Object.keys(fields).filter((name) => {
    const field = fields[name];
    return field && !isComputed(field) && !field.options.virtual;
  });
