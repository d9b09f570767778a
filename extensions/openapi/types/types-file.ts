import type { PreparedGatehouse } from '../../../src/main/start.ts';
import { resourceTypes, tableTypes } from './resource-types.ts';
import { unionOf } from './type-of-schema.ts';

/** The types of all resources that a service would serve. */
export function typesFile({ resources, scopes }: Pick<PreparedGatehouse, 'resources' | 'scopes'>): string {
  return [
    '// Written by `gatehouse types` from the declarations. Do not edit it: change those, and run the command again.',
    '',
    "import type { Generated } from 'gatehouse-server/resources';",
    '',
    resourceTypes(resources, new Map(['clients', 'tokens', 'consents'].map((name) => [`${name}.scopes`, 'Scope']))),
    tableTypes(resources),
    `export type Scope = ${unionOf(scopes.list())};`,
    '',
    'declare global {',
    '  interface GatehouseResources extends Resources {}',
    '  interface GatehouseTables extends Tables {}',
    '}',
    '',
  ].join('\n');
}
