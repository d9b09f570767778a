import type { ResourceDefinition } from './define-resource.ts';

export type ReportMistake = (where: string, what: string) => void;
export type Definitions = ReadonlyMap<string, ResourceDefinition>;

/** Names of fields and tables. */
export const namePattern = /^[a-z][a-z0-9_]{0,39}$/;
/** Names in paths: resources and relations. */
export const pathNamePattern = /^[a-z][a-z0-9_-]{0,39}$/;
