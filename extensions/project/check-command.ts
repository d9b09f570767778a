import type { Command } from 'commander';
import { tryStart } from '../../src/cli/operator/with-gatehouse.ts';
import { paint } from '../../src/cli/terminal/paint.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { getLanguages } from '../../src/config/languages/languages.ts';
import { openCustomRoutes } from '../../src/main/open-custom-routes.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { loadResources } from '../../src/resources/load-resources.ts';
import { checkMailTemplates } from './check-mails.ts';
import { type CustomMessages, checkCustomMessages } from './check-messages.ts';
import { namingAdvice } from './naming-advice.ts';

export function addCheck(program: Command): void {
  program
    .command('check')
    .summary('Check settings and declarations.')
    .description(
      'Check settings, declarations, routes, views, messages and mail templates without starting the service. Exits with 1 if it finds an error.',
    )
    .addHelpText('after', '\nExamples:\n  gatehouse check')
    .action(async () => {
      const config = await loadConfig();
      await tryStart(config, () => undefined);
      await printNamingAdvice(config);
      printMessageMistakes(checkCustomMessages(getLanguages(config)));
      throwProblems(checkMailTemplates(config));
      console.log(paint('green', 'Settings, resources, routes, views, messages and mail templates are fine.'));
    });
}

/** Reports names that work but violate the naming conventions. */
async function printNamingAdvice({ resourcesDir, routesDir }: Config): Promise<void> {
  for (const { name, singular, file = name } of await loadResources(resourcesDir)) {
    // A declaration with `singular` has a deliberate plural.
    const advice = singular === undefined ? namingAdvice(name) : undefined;
    if (advice) printWarning(`${file}: name: ${advice}`);
  }
  for (const { file, path } of (await openCustomRoutes(routesDir)).routes) {
    if (!path.startsWith('/v1/')) continue;
    const advice = namingAdvice(path.split('/')[2] ?? '');
    if (advice) printWarning(`${file}: path: ${advice}`);
  }
}

const maxListedKeys = 5;
const maxLineLength = 70;

/** A missing message is not an error: the text then appears in another language. But an unknown value in a message would stay empty. */
function printMessageMistakes(files: readonly CustomMessages[]): void {
  for (const { language, missing, unknown } of files) {
    if (missing.length > 0) printWarning(`${language}.json lacks ${listKeys(missing, 'message', 'messages')}`);
    if (unknown.length > 0)
      printWarning(
        `${language}.json has ${listKeys(unknown, 'key that is not of Gatehouse', 'keys that are not of Gatehouse')}`,
      );
  }
  const problems = files.flatMap(({ language, mistakes }) =>
    mistakes.map((mistake) => `${language}.json: ${mistake}.`),
  );
  throwProblems(problems);
}

function throwProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new OperatorError(problems.join('\n'));
}

const printWarning = (line: string): void => console.log(paint('yellow', line));

/** Lists the first few keys: keys of the console are sentences and may be long. */
function listKeys(keys: readonly string[], singular: string, plural: string): string {
  const lines = keys
    .slice(0, maxListedKeys)
    .map((key) => `\n  ${key.length > maxLineLength ? `${key.slice(0, maxLineLength - 1)}…` : key}`);
  const more = keys.length - lines.length;
  const count = `${keys.length.toLocaleString('en')} ${keys.length === 1 ? singular : plural}`;
  return `${count}:${lines.join('')}${more > 0 ? `\n  … and ${more.toLocaleString('en')} more` : ''}`;
}
