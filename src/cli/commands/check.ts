import type { Command } from 'commander';
import { loadConfig } from '../../config.ts';
import { tryStart } from './try-start.ts';

export function addCheck(program: Command): void {
  program
    .command('check')
    .description(
      'Read settings, declarations, routes and views as a start would. Changes nothing; exits with 1 where something is wrong.',
    )
    .action(async () => {
      const config = await loadConfig();
      await tryStart(config, () => undefined);
      console.log('Settings, resources, routes and views are fine.');
    });
}
