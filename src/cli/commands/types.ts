import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../../config/config.ts';
import type { PreparedGatehouse } from '../../main/start.ts';
import { OperatorError } from '../../platform/errors.ts';
import { resourceTypes, tableTypes } from '../../resources/routes/resource-types.ts';
import { unionOf } from '../../resources/routes/type-of-schema.ts';
import { tryStart } from '../operator/with-gatehouse.ts';

const defaultFile = 'gatehouse-types.d.ts';

export function addTypes(program: Command): void {
  program
    .command('types')
    .description('Write the types of the declared resources, for the typed client. Does the same checks as `check`.')
    .option('--out <file>', 'the file to write', defaultFile)
    .option('--check', 'write nothing; exit with 1 if the file is out of date')
    .addHelpText('after', `\nExamples:\n  gatehouse types\n  gatehouse types --check      # in a pipeline`)
    .action(async ({ out, check }: { out: string; check?: boolean }) => {
      const text = await tryStart(await loadConfig(), typesFile);
      const file = resolve(out);
      const isFresh = existsSync(file) && readFileSync(file, 'utf8') === text;
      if (check && !isFresh) throw new OperatorError(`${out} is not up to date. Run: npx gatehouse-server types`);
      // Does not write an unchanged file, so that file watchers are not triggered.
      if (!isFresh) writeFileSync(file, text);
      console.log(check ? `${out} is up to date.` : `${out} ${isFresh ? 'was up to date.' : 'is written.'}`);
    });
}

/** The types of all resources that a service would serve. */
function typesFile({ resources, scopes }: PreparedGatehouse): string {
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
