import type { Command } from 'commander';
import { withContext } from '../../src/cli/operator/with-context.ts';
import { maxHours, readHours } from '../../src/cli/terminal/option-values.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';

export function addRegistrationToken(client: Command): void {
  client
    .command('registration-token')
    .description('Create a token that lets applications register themselves, if DYNAMIC_CLIENTS is token.')
    .option(
      '--hours <hours>',
      `the number of hours for which anybody can use the token (1 to ${maxHours})`,
      (text) => readHours(text, 1),
      24,
    )
    .addHelpText('after', '\nExamples:\n  gatehouse client registration-token --hours 1')
    .action(async ({ hours }: { hours: number }) => console.log(await makeToken(hours)));
}

const makeToken = (hours: number): Promise<string> =>
  withContext(async (context) => {
    const { makeInitialToken } = await import('./registration-tokens.ts');
    const expiresAt = context.now() + hours * 3_600_000;
    const data = { expires_at: new Date(expiresAt).toISOString() };
    const event = { type: 'client.registration_token_created', source: systemSource, data };
    await recordEvent(context, context.database.db, event);
    return makeInitialToken(context, expiresAt);
  });
