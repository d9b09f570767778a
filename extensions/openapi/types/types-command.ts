import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { tryStart } from '../../../src/cli/operator/with-gatehouse.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { OperatorError } from '../../../src/platform/errors.ts';

const defaultFile = 'gatehouse-types.d.ts';

export function addTypes(program: Command): void {
  program
    .command('types')
    .summary('Write the types of resources for the typed client.')
    .description('Write the types of the declared resources, for the typed client. Does the same checks as `check`.')
    .option('--out <file>', 'the file to write', defaultFile)
    .option('--check', 'write nothing; exit with 1 if the file is out of date')
    .addHelpText('after', `\nExamples:\n  gatehouse types\n  gatehouse types --check      # in a pipeline`)
    .action(async ({ out, check }: { out: string; check?: boolean }) => {
      const { typesFile } = await import('./types-file.ts');
      const text = await tryStart(await loadConfig(), typesFile);
      const file = resolve(out);
      const isFresh = existsSync(file) && readFileSync(file, 'utf8') === text;
      if (check && !isFresh) throw new OperatorError(`${out} is not up to date. Run: npx gatehouse-server types`);
      // Does not write an unchanged file, so that file watchers are not triggered.
      if (!isFresh) writeFileSync(file, text);
      console.log(check ? `${out} is up to date.` : `${out} ${isFresh ? 'was up to date.' : 'is written.'}`);
    });
}
