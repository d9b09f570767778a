import type { ResourceDefinition } from './define-resource.ts';

export type ReportMistake = (where: string, message: string) => void;
export type Definitions = ReadonlyMap<string, ResourceDefinition>;

export const namePattern = /^[a-z][a-z0-9_]{0,39}$/;
export const pathNamePattern = /^[a-z][a-z0-9_-]{0,39}$/;
