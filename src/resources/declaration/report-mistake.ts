import type { ResourceDefinition } from './define-resource.ts';

export type ReportMistake = (where: string, message: string) => void;
type Definitions = ReadonlyMap<string, ResourceDefinition>;

/** The names that rules may use beside resources and their fields. Undefined: any name. */
export interface KnownNames {
  readonly roles?: readonly string[];
  readonly scopes?: readonly string[];
}

/** The check of one declaration. */
export interface Check {
  readonly definition: ResourceDefinition;
  readonly all: Definitions;
  readonly knownNames: KnownNames;
  readonly report: ReportMistake;
}

export const namePattern = /^[a-z][a-z0-9_]{0,39}$/;
export const pathNamePattern = /^[a-z][a-z0-9_-]{0,39}$/;
