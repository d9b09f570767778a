import type { Command } from 'commander';
import { loadConfig } from '../../config.ts';
import { OperatorError } from '../../errors.ts';
import { languagesOf } from '../../languages/languages.ts';
import { checkOwnMessages, type OwnMessages } from '../../languages/message-check.ts';
import { paint } from '../terminal/paint.ts';
import { tryStart } from './try-start.ts';

export function addCheck(program: Command): void {
  program
    .command('check')
    .description(
      'Read settings, declarations, routes, views and messages as a start would. Changes nothing; exits with 1 where something is wrong.',
    )
    .action(async () => {
      const config = await loadConfig();
      await tryStart(config, () => undefined);
      sayMessages(checkOwnMessages(languagesOf(config)));
      console.log(paint('green', 'Settings, resources, routes, views and messages are fine.'));
    });
}

/** What is missing is said in another language, and is no mistake; a value that a message does not have would stay empty. */
function sayMessages(files: readonly OwnMessages[]): void {
  for (const { language, missing, unknown } of files) {
    if (missing.length > 0) note(`${language}.json: ${listed(missing, 'message is', 'messages are')} missing.`);
    if (unknown.length > 0) note(`${language}.json: ${listed(unknown, 'key is', 'keys are')} not of Gatehouse.`);
  }
  const wrong = files.flatMap(({ language, mistakes }) => mistakes.map((mistake) => `${language}.json: ${mistake}.`));
  if (wrong.length > 0) throw new OperatorError(wrong.join('\n'));
}

const note = (line: string): void => console.log(paint('yellow', line));

function listed(keys: readonly string[], one: string, many: string): string {
  const shown = keys.slice(0, 5).join(', ');
  return `${keys.length} ${keys.length === 1 ? one : many} (${shown}${keys.length > 5 ? ', …' : ''})`;
}
